// All details of one transaction.
import { formatDay, formatTime, zoneName } from '../dates.ts';
import { Dialog } from '../dialog.tsx';
import type { LineFragment } from '../generated/graphql.ts';
import { amountText, type Direction, directionOf } from '../money.ts';
import { useText } from '../text/language.tsx';
import type { Text } from '../text/pt.ts';

interface TransactionDialogProps {
  readonly line: LineFragment;
  readonly timeZone: string;
  readonly onClose: () => void;
}

export function TransactionDialog({ line, timeZone, onClose }: TransactionDialogProps) {
  const text = useText();
  const direction = directionOf(line);
  return (
    <Dialog title={text.details} onClose={onClose}>
      <p className={`sum ${direction}`} data-status={line.status}>
        <small>{text.directions[direction]}</small>
        <strong className="amount">{amountText(line, text)}</strong>
      </p>
      <dl>
        {detailsOf(line, direction, text, timeZone).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The known details, as pairs of name and value. */
function detailsOf(
  line: LineFragment,
  direction: Direction,
  text: Text,
  timeZone: string,
): [string, string][] {
  const { category, beneficiaryName, type, status, externalStatus, createdAt, id } = line;
  const names = text.detailNames;
  const details: [string, string | null | undefined][] = [
    [names.category, category],
    [names.beneficiary[direction], beneficiaryName],
    [names.at, createdAt && instantName(createdAt, text, timeZone)],
    [names.status, text.csv.statusNames[status ?? '']],
    [names.externalStatus, externalStatus],
    [names.type, type],
    [names.id, id],
  ];
  return details.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

function instantName(createdAt: string, { locale }: Text, timeZone: string): string {
  const day = formatDay(createdAt, locale, timeZone);
  return `${day}, ${formatTime(createdAt, locale, timeZone)} (${zoneName(locale, timeZone)})`;
}
