// Who is signed in, the accounts with their balances, and the statement of the one that is chosen.
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { homeDocument } from './documents.ts';
import { failureOf } from './failure.ts';
import { FailureNotice } from './failure-notice.tsx';
import type { HomeQuery } from './generated/graphql.ts';
import { formatReais } from './money.ts';
import { maskDocument } from './people.ts';
import { Statement } from './statement.tsx';

type Account = NonNullable<NonNullable<HomeQuery['accounts']>[number]>;

export function Home({ onSignOut }: { readonly onSignOut: () => void }) {
  const { data, error, loading, refetch } = useQuery(homeDocument, {
    // One part that fails leaves the others standing.
    errorPolicy: 'all',
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const accounts = data?.accounts?.filter((account) => account !== null) ?? [];
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0];
  return (
    <>
      <header>
        <Holder me={data?.me} />
        <button type="button" onClick={onSignOut}>
          Sair
        </button>
      </header>
      <main>
        <FailureNotice
          failure={failureOf(error)}
          onRetry={() => void refetch()}
          onSignIn={onSignOut}
        />
        {loading && <p className="quiet">Carregando…</p>}
        <Accounts accounts={accounts} chosen={account?.id} onChoose={setChosen} />
        {data?.accounts?.length === 0 && <p className="quiet">Você ainda não tem contas.</p>}
        {account && <Statement key={account.id} accountId={account.id} onSignIn={onSignOut} />}
      </main>
    </>
  );
}

function Holder({ me }: { readonly me: HomeQuery['me'] | undefined }) {
  return (
    <div>
      <h1>{me?.name ?? 'Olá'}</h1>
      <small>{maskDocument(me?.document ?? '')}</small>
    </div>
  );
}

interface AccountsProps {
  readonly accounts: readonly Account[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

function Accounts({ accounts, chosen, onChoose }: AccountsProps) {
  return (
    <ul className="accounts" aria-label="Contas">
      {accounts.map(({ id, agency, number, balance }) => (
        <li key={id}>
          <button type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
            <small>
              Ag. {agency ?? '—'} · Conta {number ?? '—'}
            </small>
            <strong>{balance == null ? 'Saldo indisponível' : formatReais(balance)}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
