// All details of one transaction, which can be copied and shared.
import { useState } from 'react';
import { formatDay, formatTime, zoneName } from '../dates.ts';
import { Dialog } from '../dialog.tsx';
import type { LineFragment } from '../generated/graphql.ts';
import { CopyIcon, ShareIcon } from '../icons.tsx';
import { amountText, type Direction, directionOf } from '../money.ts';
import { Amount } from '../privacy.tsx';
import { useText } from '../text/language.tsx';
import type { Text } from '../text/pt.ts';
import { wordsOf } from '../words.ts';

interface TransactionDialogProps {
  readonly line: LineFragment;
  readonly timeZone: string;
  readonly onClose: () => void;
}

export function TransactionDialog({ line, timeZone, onClose }: TransactionDialogProps) {
  const text = useText();
  const direction = directionOf(line);
  const details = detailsOf(line, direction, text, timeZone);
  const amount = amountText(line, text);
  const content = [
    `${text.directions[direction]}: ${amount}`,
    ...details.map(([name, value]) => `${name}: ${value}`),
  ].join('\n');
  return (
    <Dialog title={text.details} onClose={onClose}>
      <p className={`sum ${direction}`} data-status={line.status}>
        <small>{text.directions[direction]}</small>
        <strong className="amount">
          <Amount>{amount}</Amount>
        </strong>
      </p>
      <dl>
        {details.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Sending content={content} />
    </Dialog>
  );
}

/** Buttons that copy the details as text, and hand them to another app. */
function Sending({ content }: { readonly content: string }) {
  const text = useText();
  const [outcome, setOutcome] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(content).then(
      () => setOutcome(text.copied),
      // The browser, or the customer, does not allow it.
      () => setOutcome(text.notCopied),
    );
  // Closing the list of apps without a choice rejects too, and needs no answer.
  const share = () => navigator.share({ text: content }).catch(() => undefined);
  return (
    <div className="sending">
      <button type="button" onClick={() => void copy()}>
        <CopyIcon />
        {text.copy}
      </button>
      {'share' in navigator && (
        <button type="button" onClick={() => void share()}>
          <ShareIcon />
          {text.share}
        </button>
      )}
      <p role="status" className="quiet">
        {outcome}
      </p>
    </div>
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
    [names.externalStatus, externalStatus && wordsOf(externalStatus, text.externalStatuses)],
    [names.type, type && wordsOf(type, text.types)],
    [names.id, id],
  ];
  return details.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

function instantName(createdAt: string, { locale }: Text, timeZone: string): string {
  const day = formatDay(createdAt, locale, timeZone);
  return `${day}, ${formatTime(createdAt, locale, timeZone)} (${zoneName(locale, timeZone)})`;
}
