// The icon of a transaction: that of its type, or its direction's if the type is new or the direction unknown.
import {
  FeeIcon,
  InIcon,
  OutIcon,
  PixIcon,
  QrCodeIcon,
  TransferIcon,
  UnknownIcon,
} from '../icons.tsx';
import type { Direction } from '../money.ts';

const typeIcons: Readonly<Record<string, () => React.ReactNode>> = {
  PIX: PixIcon,
  PIX_QRCODE: QrCodeIcon,
  TED: TransferIcon,
  TEF: TransferIcon,
  FEE: FeeIcon,
};

const directionIcons = { in: InIcon, out: OutIcon, unknown: UnknownIcon };

interface TypeIconProps {
  readonly type: string | null;
  readonly direction: Direction;
}

export function TypeIcon({ type, direction }: TypeIconProps) {
  const ofType = direction === 'unknown' ? undefined : typeIcons[type ?? ''];
  const Icon = ofType ?? directionIcons[direction];
  return <Icon />;
}
