// What came in and went out in the period. It can be added up only once all of the period is loaded.
import { useEffect, useEffectEvent, useMemo } from 'react';
import type { LineFragment } from '../generated/graphql.ts';
import { formatReais } from '../money.ts';
import { SumIcon } from '../icons.tsx';
import { Amount } from '../privacy.tsx';
import { useText } from '../text/language.tsx';
import { totalsOf } from './totals.ts';
import type { StatementList } from './use-statement.ts';

/** A period with at most this many transactions is loaded without being asked, with at most two requests more. */
const fewTransactions = 200;

interface PeriodTotalsProps {
  readonly list: StatementList;
  /** Whether the period is bounded, so that there is an end to what is added up. */
  readonly isBounded: boolean;
  readonly onLoadAll: () => void;
}

export function PeriodTotals({ list, isBounded, onLoadAll }: PeriodTotalsProps) {
  const text = useText();
  const { hasOlder, isLoading, failure, totalCount } = list;
  const canLoad = hasOlder && !isLoading && failure === null;
  const isShort = isBounded && totalCount !== null && totalCount <= fewTransactions;
  const loadAll = useEffectEvent(onLoadAll);
  useEffect(() => {
    if (canLoad && isShort) loadAll();
  }, [canLoad, isShort]);
  if (list.isComplete) {
    return list.lines.length > 0 ? <Sums lines={list.lines} unreadable={list.unreadable} /> : null;
  }
  if (isShort || !hasOlder) return null;
  return (
    <button type="button" className="plain" disabled={!canLoad} onClick={onLoadAll}>
      <SumIcon />
      {list.isLoadingMany ? text.addingUp(list.loaded) : text.addUp}
    </button>
  );
}

interface SumsProps {
  readonly lines: readonly LineFragment[];
  readonly unreadable: number;
}

function Sums({ lines, unreadable }: SumsProps) {
  const text = useText();
  const { totals, leftOut } = useMemo(() => totalsOf(lines), [lines]);
  const missing = leftOut + unreadable;
  return (
    <section className="totals" aria-label={text.totals}>
      {totals.map(({ status, cameIn, wentOut }) => (
        <div key={status} role="group" aria-label={text.totalsOf[status]} data-status={status}>
          <p className="quiet">{text.totalsOf[status]}</p>
          <dl>
            <div>
              <dt>{text.cameIn}</dt>
              <dd className="in">
                <Amount>{formatReais(cameIn, text.locale)}</Amount>
              </dd>
            </div>
            <div>
              <dt>{text.wentOut}</dt>
              <dd>
                <Amount>{formatReais(wentOut, text.locale)}</Amount>
              </dd>
            </div>
          </dl>
        </div>
      ))}
      {missing > 0 && <p className="quiet">{text.notAddedUp(missing)}</p>}
    </section>
  );
}
