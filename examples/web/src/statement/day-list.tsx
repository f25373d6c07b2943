// The days of a statement with their transactions. A statement can have thousands: only days and lines that have changed
// are rendered again, and those far from the viewport have only their headings in the document.
import { memo, useRef, useState } from 'react';
import { formatTime } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { amountText, directionOf } from '../money.ts';
import { Amount } from '../privacy.tsx';
import { useText } from '../text/language.tsx';
import { wordsOf } from '../words.ts';
import type { Day } from './days.ts';
import { TypeIcon } from './type-icon.tsx';
import { useNearness } from './use-nearness.ts';

/** A list of at most this many lines is in the document as a whole, so that the browser's own search finds them. */
const wholeListLines = 400;
/** So many lines at both ends are rendered at once, and not after a frame: they are what is most likely in view. */
const endLines = 100;

interface DayListProps {
  readonly days: readonly Day[];
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

export const DayList = memo(function DayList({ days, timeZone, onOpen }: DayListProps) {
  const [focused, setFocused] = useState<string | null>(null);
  const count = days.reduce((sum, { lines }) => sum + lines.length, 0);
  let before = 0;
  return days.map((day) => {
    const isAtEnd = before < endLines || before + day.lines.length > count - endLines;
    before += day.lines.length;
    return (
      <DaySection
        key={day.name}
        day={day}
        timeZone={timeZone}
        startsNear={isAtEnd}
        isOnlyNear={count > wholeListLines && day.name !== focused}
        onFocus={setFocused}
        onOpen={onOpen}
      />
    );
  });
});

interface DayProps {
  readonly day: Day;
  readonly timeZone: string;
  readonly startsNear: boolean;
  /** Whether the lines are in the document only while they are near the viewport. */
  readonly isOnlyNear: boolean;
  /** Called when a line gets the focus: its day stays, so that the focus is not lost, and a dialog can return it. */
  readonly onFocus: (name: string) => void;
  readonly onOpen: (line: LineFragment) => void;
}

const DaySection = memo(function DaySection(props: DayProps) {
  const { day, timeZone, startsNear, isOnlyNear, onFocus, onOpen } = props;
  const ref = useRef<HTMLElement>(null);
  const { isNear, heightPx } = useNearness(ref, day.lines, startsNear);
  const isShown = isNear || !isOnlyNear;
  // About that of the lines and of the heading.
  const estimate = `${4.2 * day.lines.length + 2.5}rem`;
  return (
    <section
      className={isShown ? 'day' : 'day far'}
      ref={ref}
      style={
        isShown ? { containIntrinsicHeight: `auto ${estimate}` } : { height: heightPx ?? estimate }
      }
      onFocus={() => onFocus(day.name)}
    >
      <h3>{day.name}</h3>
      {isShown && <Lines lines={day.lines} timeZone={timeZone} onOpen={onOpen} />}
    </section>
  );
});

interface LinesProps {
  readonly lines: readonly LineFragment[];
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

const Lines = memo(function Lines({ lines, timeZone, onOpen }: LinesProps) {
  const keys = keysOf(lines);
  return (
    <ul>
      {lines.map((line, index) => (
        <Line key={keys[index]} line={line} timeZone={timeZone} onOpen={onOpen} />
      ))}
    </ul>
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
