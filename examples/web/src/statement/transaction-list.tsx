// The transactions by day: scrolling loads older ones, and pulling down loads new ones.
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { formatMonth, wallTimeOf } from '../dates.ts';
import { FailureNotice } from '../failure-notice.tsx';
import type { LineFragment } from '../generated/graphql.ts';
import { UpdateIcon } from '../icons.tsx';
import { Skeleton } from '../skeleton.tsx';
import { useText } from '../text/language.tsx';
import type { Text } from '../text/pt.ts';
import { DayList } from './day-list.tsx';
import { createDayGrouping } from './days.ts';
import type { Period } from './period.ts';
import { PeriodTotals } from './period-totals.tsx';
import { createSearch } from './search.ts';
import type { Edge, Statement } from './statement-store.ts';
import { TransactionDialog } from './transaction-dialog.tsx';
import { usePullDown } from './use-pull-down.ts';
import { useStatement } from './use-statement.ts';

interface TransactionListProps {
  readonly statement: Statement;
  /** The statement without a period. */
  readonly whole: Statement;
  readonly period: Period;
  readonly search: string;
  readonly timeZone: string;
  readonly onSignIn: () => Promise<boolean>;
}

export function TransactionList(props: TransactionListProps) {
  const { statement, whole, period, search, timeZone, onSignIn } = props;
  const text = useText();
  const list = useStatement(statement, whole, period, timeZone);
  const { lines, hasOlder, isLoading, isUpdateFailure } = list;
  const [news, setNews] = useState('');
  const [opened, setOpened] = useState<LineFragment | null>(null);
  const update = async () => {
    setNews(text.updating);
    const count = await statement.loadNewer();
    setNews(count === null ? '' : text.news(count));
  };
  const isPulled = usePullDown(() => void update());
  const open = useEffectEvent(() => {
    if (!statement.state().isLoaded) void statement.loadOlder();
    // The list may be outdated if another account or period was shown meanwhile.
    else if (navigator.onLine) void update();
  });
  useEffect(open, []);
  const notice = (
    <FailureNotice
      failure={list.failure}
      onRetry={() => void statement.retry()}
      onSignIn={onSignIn}
    />
  );
  const hasFailedBelow = list.failure !== null && !isUpdateFailure;
  const canGoOn = hasOlder && !isLoading && !hasFailedBelow;
  // Filtering and rendering thousands of lines must not delay the next letter.
  const query = useDeferredValue(search);
  const isSearching = query.trim() !== '';
  const groupDays = useMemo(() => createDayGrouping(text, timeZone), [text, timeZone]);
  const find = useMemo(() => createSearch(text, timeZone), [text, timeZone]);
  const shown = useMemo(() => find(lines, query), [find, lines, query]);
  const days = useMemo(() => groupDays(shown), [groupDays, shown]);
  const searched = isSearching ? text.found(shown.length, lines.length) : news;
  const stop = useStop();
  const loadUntil = (isEnough: IsEnough) => void statement.loadUntil(isEnough, stop());
  const isBounded = period.from !== null || period.to !== null;
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
      {!isSearching && (
        <PeriodTotals list={list} isBounded={isBounded} onLoadAll={() => loadUntil(() => false)} />
      )}
      <DayList days={days} timeZone={timeZone} onOpen={setOpened} />
      {list.unreadable > 0 && <p className="quiet">{text.unreadable(list.unreadable)}</p>}
      {!isUpdateFailure && notice}
      {isLoading && <Skeleton of="lines" count={lines.length > 0 ? 2 : 6} />}
      {!hasOlder && !isLoading && !hasFailedBelow && (
        <p className="quiet">{lines.length > 0 ? text.endOfStatement : emptyText(period, text)}</p>
      )}
      {isSearching && canGoOn && (
        <LoadMonthButton last={lines.at(-1)} timeZone={timeZone} onLoad={loadUntil} />
      )}
      {/* A search shows few lines, and loading more to fill the screen would load the whole statement. */}
      <Sentinel
        isActive={canGoOn && !isSearching}
        length={list.loaded}
        onSeen={() => void statement.loadOlder()}
      />
      {opened !== null && (
        <TransactionDialog line={opened} timeZone={timeZone} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

type IsEnough = (edges: readonly Edge[]) => boolean;

/** A function that returns a signal, which stops what it was given to once the component is gone. */
function useStop(): () => AbortSignal {
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  return () => (stop.current ??= new AbortController()).signal;
}

interface LoadMonthButtonProps {
  /** The oldest loaded transaction. */
  readonly last: LineFragment | undefined;
  readonly timeZone: string;
  readonly onLoad: (isEnough: IsEnough) => void;
}

/** A search is only in what was loaded, so that the rest of a month may have to be loaded first. */
function LoadMonthButton({ last, timeZone, onLoad }: LoadMonthButtonProps) {
  const text = useText();
  const monthOf = (line: LineFragment | undefined) =>
    wallTimeOf(line?.createdAt ?? null, timeZone)?.day.slice(0, 7);
  const month = monthOf(last);
  const load = () => onLoad((edges) => monthOf(edges.at(-1)?.node ?? undefined) !== month);
  return (
    <button type="button" onClick={load}>
      {month === undefined ? text.searchOlder : text.loadMonth(formatMonth(month, text.locale))}
    </button>
  );
}

function emptyText({ from, to }: Period, text: Text): string {
  return from === null && to === null ? text.noTransactions : text.noTransactionsInPeriod;
}

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
