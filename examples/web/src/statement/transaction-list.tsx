// The transactions by day: scrolling loads older ones, and pulling down loads new ones.
import { memo, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { formatTime } from '../dates.ts';
import { FailureNotice } from '../failure-notice.tsx';
import type { LineFragment } from '../generated/graphql.ts';
import { InIcon, OutIcon, UnknownIcon, UpdateIcon } from '../icons.tsx';
import { amountText, directionOf } from '../money.ts';
import { useText } from '../text/language.tsx';
import type { Text } from '../text/pt.ts';
import type { Period } from './period.ts';
import { createDayGrouping, type Day } from './days.ts';
import { createSearch } from './search.ts';
import { TransactionDialog } from './transaction-dialog.tsx';
import { usePullDown } from './use-pull-down.ts';
import { useStatement } from './use-statement.ts';

interface TransactionListProps {
  readonly accountId: string;
  readonly period: Period;
  readonly search: string;
  readonly timeZone: string;
  readonly onSignIn: () => Promise<boolean>;
}

export function TransactionList(props: TransactionListProps) {
  const { accountId, period, search, timeZone, onSignIn } = props;
  const text = useText();
  const list = useStatement(accountId, period, timeZone);
  const { lines, hasOlder, isLoading, isUpdateFailure, loadOlder, loadNewer } = list;
  const [news, setNews] = useState('');
  const [opened, setOpened] = useState<LineFragment | null>(null);
  const update = async () => {
    setNews(text.updating);
    const count = await loadNewer();
    setNews(count === null ? '' : text.news(count));
  };
  const isPulled = usePullDown(() => void update());
  const refresh = useEffectEvent(() => {
    if (list.loaded > 0 && navigator.onLine) void update();
  });
  // A list from the cache may be outdated if another account or period was shown meanwhile.
  useEffect(refresh, []);
  const notice = (
    <FailureNotice failure={list.failure} onRetry={() => void list.retry()} onSignIn={onSignIn} />
  );
  const hasFailedBelow = list.failure !== null && !isUpdateFailure;
  const canGoOn = hasOlder && !isLoading && !hasFailedBelow;
  const isSearching = search.trim() !== '';
  const groupDays = useMemo(() => createDayGrouping(text, timeZone), [text, timeZone]);
  const find = useMemo(() => createSearch(text, timeZone), [text, timeZone]);
  const shown = find(lines, search);
  const searched = isSearching ? text.found(shown.length, lines.length) : news;
  return (
    <>
      <div className="update">
        <p role="status" className="quiet">
          {isPulled ? text.releaseToUpdate : searched}
        </p>
        <button type="button" className="plain" onClick={() => void update()}>
          <UpdateIcon />
          {text.update}
        </button>
      </div>
      {/* Beside the button, because the end of the list may be far below. */}
      {isUpdateFailure && notice}
      {list.isOnlyLoaded && lines.length > 0 && <p className="quiet">{text.onlyLoaded}</p>}
      {groupDays(shown).map((day) => (
        <DaySection key={day.name} day={day} timeZone={timeZone} onOpen={setOpened} />
      ))}
      {list.unreadable > 0 && <p className="quiet">{text.unreadable(list.unreadable)}</p>}
      {!isUpdateFailure && notice}
      {isLoading && <p className="quiet">{text.loading}</p>}
      {!hasOlder && !isLoading && !hasFailedBelow && (
        <p className="quiet">{lines.length > 0 ? text.endOfStatement : emptyText(period, text)}</p>
      )}
      {isSearching && canGoOn && (
        <button type="button" onClick={() => void loadOlder()}>
          {text.searchOlder}
        </button>
      )}
      {/* A search shows few lines, and loading more to fill the screen would load the whole statement. */}
      <Sentinel
        isActive={canGoOn && !isSearching}
        length={list.loaded}
        onSeen={() => void loadOlder()}
      />
      {opened !== null && (
        <TransactionDialog line={opened} timeZone={timeZone} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function emptyText({ from, to }: Period, text: Text): string {
  return from === null && to === null ? text.noTransactions : text.noTransactionsInPeriod;
}

interface DayProps {
  readonly day: Day;
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

/** Rendered again only if one of its lines has changed: a statement can have thousands. */
const DaySection = memo(function DaySection({ day, timeZone, onOpen }: DayProps) {
  return (
    <section className="day">
      <h3>{day.name}</h3>
      <ul>
        {day.lines.map((line) => (
          <Line key={line.id} line={line} timeZone={timeZone} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
});

const directionIcons = { in: InIcon, out: OutIcon, unknown: UnknownIcon };

interface LineProps {
  readonly line: LineFragment;
  readonly timeZone: string;
  readonly onOpen: (line: LineFragment) => void;
}

const Line = memo(function Line({ line, timeZone, onOpen }: LineProps) {
  const text = useText();
  const { id, status, category, type, beneficiaryName, createdAt } = line;
  const direction = directionOf(line);
  const DirectionIcon = directionIcons[direction];
  return (
    <li data-id={id} className={direction} data-status={status}>
      <button type="button" aria-haspopup="dialog" onClick={() => onOpen(line)}>
        <span className="direction">
          <DirectionIcon />
        </span>
        <span className="what">
          <span className="only-read">{text.directions[direction]}: </span>
          <strong>{category ?? type ?? text.transaction}</strong>
          <small>{beneficiaryName}</small>
          {status !== null && status !== 'DONE' && <em>{text.csv.statusNames[status]}</em>}
        </span>
        <span className="amount">
          <span>{amountText(line, text)}</span>
          {createdAt !== null && (
            <time dateTime={createdAt}>{formatTime(createdAt, text.locale, timeZone)}</time>
          )}
        </span>
      </button>
    </li>
  );
});

interface SentinelProps {
  readonly isActive: boolean;
  /**
   * The number of lines. When it changes, the element is observed again, because after only a few new lines it may
   * still be in view.
   */
  readonly length: number;
  readonly onSeen: () => void;
}

/** Reports when the end of the list comes near the viewport. */
function Sentinel({ isActive, length, onSeen }: SentinelProps) {
  const ref = useRef<HTMLDivElement>(null);
  const tell = useEffectEvent(onSeen);
  useEffect(() => {
    if (!isActive || ref.current === null) return undefined;
    // On a busy device, one call may get several entries, of which the last is the latest.
    const look = (entries: readonly IntersectionObserverEntry[]) => {
      if (entries.at(-1)?.isIntersecting === true) tell();
    };
    const observer = new IntersectionObserver(look, { rootMargin: '0px 0px 400px' });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isActive, length]);
  return <div ref={ref} />;
}
