// The days of a statement with their transactions. A statement can have thousands, so that only days and lines that have
// changed are rendered again.
import { memo } from 'react';
import { formatTime } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { amountText, directionOf } from '../money.ts';
import { Amount } from '../privacy.tsx';
import { useText } from '../text/language.tsx';
import { wordsOf } from '../words.ts';
import type { Day } from './days.ts';
import { TypeIcon } from './type-icon.tsx';

interface DayListProps {
  readonly days: readonly Day[];
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

export const DayList = memo(function DayList({ days, timeZone, onOpen }: DayListProps) {
  return days.map((day) => (
    <DaySection key={day.name} day={day} timeZone={timeZone} onOpen={onOpen} />
  ));
});

interface DayProps {
  readonly day: Day;
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

const DaySection = memo(function DaySection({ day, timeZone, onOpen }: DayProps) {
  const keys = keysOf(day.lines);
  return (
    <section className="day">
      <h3>{day.name}</h3>
      <ul>
        {day.lines.map((line, index) => (
          <Line key={keys[index]} line={line} timeZone={timeZone} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
});

/** The ids of the lines, with a number where several lines have one id. */
function keysOf(lines: readonly LineFragment[]): string[] {
  const counts = new Map<string, number>();
  return lines.map(({ id }) => {
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count === 0 ? id : `${id} ${count}`;
  });
}

interface LineProps {
  readonly line: LineFragment;
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

const Line = memo(function Line({ line, timeZone, onOpen }: LineProps) {
  const text = useText();
  const { id, status, category, type, beneficiaryName, createdAt } = line;
  const direction = directionOf(line);
  return (
    <li data-id={id} className={direction} data-status={status}>
      <button type="button" aria-haspopup="dialog" onClick={() => onOpen(line)}>
        <span className="direction">
          <TypeIcon type={type} direction={direction} />
        </span>
        <span className="what">
          <span className="only-read">{text.directions[direction]}: </span>
          <strong>{category ?? (type && wordsOf(type, text.types)) ?? text.transaction}</strong>
          <small>{beneficiaryName}</small>
          {status !== null && status !== 'DONE' && <em>{text.csv.statusNames[status]}</em>}
        </span>
        <span className="amount">
          <span>
            <Amount>{amountText(line, text)}</Amount>
          </span>
          {createdAt !== null && (
            <time dateTime={createdAt}>{formatTime(createdAt, text.locale, timeZone)}</time>
          )}
        </span>
      </button>
    </li>
  );
});
