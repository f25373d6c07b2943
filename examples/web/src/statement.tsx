// The statement: days with their transactions, endless downwards, and pulled down for what is new.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatDay, formatTime } from './dates.ts';
import { FailureNotice } from './failure-notice.tsx';
import type { LineFragment } from './generated/graphql.ts';
import { formatReais, isOutflow } from './money.ts';
import { usePullDown } from './use-pull-down.ts';
import { useStatement } from './use-statement.ts';

interface StatementProps {
  readonly accountId: string;
  readonly onSignIn: () => void;
}

export function Statement({ accountId, onSignIn }: StatementProps) {
  const { lines, hasOlder, isLoading, failure, loadOlder, loadNewer, retry } =
    useStatement(accountId);
  const [news, setNews] = useState('');
  const update = async () => {
    setNews('Atualizando…');
    setNews(newsOf(await loadNewer()));
  };
  const isPulled = usePullDown(() => void update());
  const canGoOn = hasOlder && !isLoading && failure === null;
  return (
    <section aria-labelledby="statement">
      <div className="title">
        <h2 id="statement">Extrato</h2>
        <button type="button" onClick={() => void update()}>
          Atualizar
        </button>
      </div>
      <p role="status" className="quiet">
        {isPulled ? 'Solte para atualizar' : news}
      </p>
      {daysOf(lines).map(([day, linesOfDay]) => (
        <Day key={day} day={day} lines={linesOfDay} />
      ))}
      <FailureNotice failure={failure} onRetry={() => void retry()} onSignIn={onSignIn} />
      {isLoading && <p className="quiet">Carregando…</p>}
      {!isLoading && failure === null && <End isEmpty={lines.length === 0} hasOlder={hasOlder} />}
      <Sentinel isActive={canGoOn} length={lines.length} onSeen={() => void loadOlder()} />
    </section>
  );
}

function newsOf(count: number): string {
  if (count === 0) return 'Nada de novo';
  return count === 1 ? '1 nova transação' : `${count} novas transações`;
}

/** Day -> its lines, in the order of the statement. */
function daysOf(lines: readonly LineFragment[]): [string, LineFragment[]][] {
  const days = new Map<string, LineFragment[]>();
  for (const line of lines) {
    const day = line.createdAt == null ? 'Sem data' : formatDay(line.createdAt);
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  return [...days];
}

function Day({ day, lines }: { readonly day: string; readonly lines: readonly LineFragment[] }) {
  return (
    <section className="day">
      <h3>{day}</h3>
      <ul>
        {lines.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ul>
    </section>
  );
}

const states = {
  PROCESSING: 'Em processamento',
  DONE: null,
  CANCELED: 'Cancelada',
  ERROR: 'Não realizada',
} as const;

function Line({ line }: { readonly line: LineFragment }) {
  const { id, signedAmount, status, category, type, beneficiaryName, createdAt } = line;
  const isOut = signedAmount != null && isOutflow(signedAmount);
  const state = status == null ? null : states[status];
  return (
    <li data-id={id} className={isOut ? 'out' : 'in'} data-status={status}>
      <span className="direction" aria-hidden="true">
        {isOut ? '↑' : '↓'}
      </span>
      <span className="what">
        <span className="only-read">{isOut ? 'Saída: ' : 'Entrada: '}</span>
        <strong>{category ?? type ?? 'Transação'}</strong>
        <small>{beneficiaryName}</small>
        {state !== null && <em>{state}</em>}
      </span>
      <span className="amount">
        {signedAmount == null ? 'Valor indisponível' : formatReais(signedAmount)}
        {createdAt != null && <time dateTime={createdAt}>{formatTime(createdAt)}</time>}
      </span>
    </li>
  );
}

function End({ isEmpty, hasOlder }: { readonly isEmpty: boolean; readonly hasOlder: boolean }) {
  if (hasOlder) return null;
  return <p className="quiet">{isEmpty ? 'Nenhuma transação ainda.' : 'Fim do extrato'}</p>;
}

interface SentinelProps {
  readonly isActive: boolean;
  /** It is looked at anew when this changes: with few lines it may stay in sight. */
  readonly length: number;
  readonly onSeen: () => void;
}

/** Tells when the end of the list comes near the screen. */
function Sentinel({ isActive, length, onSeen }: SentinelProps) {
  const ref = useRef<HTMLDivElement>(null);
  const tell = useEffectEvent(onSeen);
  useEffect(() => {
    if (!isActive || ref.current === null) return undefined;
    const look = ([entry]: readonly IntersectionObserverEntry[]) => {
      if (entry?.isIntersecting === true) tell();
    };
    const observer = new IntersectionObserver(look, { rootMargin: '0px 0px 400px' });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isActive, length]);
  return <div ref={ref} />;
}
