// The statement of an account, with its search, its period and its export.
import { useState } from 'react';
import { wallTimeOf } from '../dates.ts';
import { ExportDialog } from '../export/export-dialog.tsx';
import type { Account } from '../home.tsx';
import { ExportIcon, SearchIcon } from '../icons.tsx';
import { useText } from '../text/language.tsx';
import { TransactionList } from './transaction-list.tsx';
import { always } from './period.ts';
import { PeriodFilter } from './period-filter.tsx';
import { useNewest } from './use-statement.ts';

interface StatementProps {
  readonly account: Account;
  readonly timeZone: string;
  readonly onSignIn: () => Promise<boolean>;
}

export function Statement({ account, timeZone, onSignIn }: StatementProps) {
  const text = useText();
  const [period, setPeriod] = useState(always);
  const [search, setSearch] = useState('');
  const [isExporting, setExporting] = useState(false);
  const newestDay = wallTimeOf(useNewest(account.id)?.createdAt ?? null, timeZone)?.day ?? null;
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
        newestDay={newestDay}
        timeZone={timeZone}
        onChange={setPeriod}
      />
      <TransactionList
        key={`${period.from ?? ''}/${period.to ?? ''}`}
        accountId={account.id}
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
