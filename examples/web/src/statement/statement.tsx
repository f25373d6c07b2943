// The statement of an account, with its search, its period and its export.
import { useState, useSyncExternalStore } from 'react';
import { wallTimeOf } from '../dates.ts';
import { ExportDialog } from '../export/export-dialog.tsx';
import type { Account } from '../home.tsx';
import { ExportIcon, SearchIcon } from '../icons.tsx';
import { useText } from '../text/language.tsx';
import { TransactionList } from './transaction-list.tsx';
import { always } from './period.ts';
import { PeriodFilter } from './period-filter.tsx';
import { linesOf, type Statement as StatementStore } from './statement-store.ts';
import type { Statements } from './statements.ts';

interface StatementProps {
  readonly account: Account;
  readonly statements: Statements;
  readonly timeZone: string;
  readonly onSignIn: () => Promise<boolean>;
}

export function Statement({ account, statements, timeZone, onSignIn }: StatementProps) {
  const text = useText();
  const [period, setPeriod] = useState(always);
  const [search, setSearch] = useState('');
  const [isExporting, setExporting] = useState(false);
  const whole = statements(account.id, always);
  const newestAt = useSyncExternalStore(whole.subscribe, () => newestInstantOf(whole));
  const isReading = useSyncExternalStore(whole.subscribe, () => isBeingRead(whole));
  return (
    <section id="statement" aria-labelledby="statement-title" tabIndex={-1}>
      <div className="title">
        <h2 id="statement-title">{text.statement}</h2>
        <button type="button" onClick={() => setExporting(true)}>
          <ExportIcon />
          {text.export}
        </button>
      </div>
      <label className="search">
        <SearchIcon />
        <input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </label>
      <PeriodFilter
        period={period}
        newestDay={wallTimeOf(newestAt, timeZone)?.day ?? null}
        isLoading={isReading}
        timeZone={timeZone}
        onChange={setPeriod}
      />
      <TransactionList
        key={`${period.from ?? ''}/${period.to ?? ''}`}
        statement={statements(account.id, period)}
        whole={whole}
        period={period}
        search={search}
        timeZone={timeZone}
        onSignIn={onSignIn}
      />
      {isExporting && (
        <ExportDialog
          account={account}
          period={period}
          timeZone={timeZone}
          onSignIn={onSignIn}
          onClose={() => setExporting(false)}
        />
      )}
    </section>
  );
}

function newestInstantOf(statement: StatementStore): string | null {
  return linesOf(statement.state().edges.slice(0, 1))[0]?.createdAt ?? null;
}

function isBeingRead(statement: StatementStore): boolean {
  const { isLoaded, failed } = statement.state();
  return !isLoaded && failed === null;
}
