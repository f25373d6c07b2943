// The signed-in holder, the accounts with their balances, and the statement of the selected account.
import { useQuery } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { formatTime, zoneOf } from './dates.ts';
import { homeDocument } from './documents.ts';
import { failureOf } from './failure.ts';
import { FailureNotice } from './failure-notice.tsx';
import type { HomeQuery } from './generated/graphql.ts';
import { HolderIcon, OfflineIcon } from './icons.tsx';
import { formatReais } from './money.ts';
import { initialsOf, maskDocument } from './people.ts';
import { Amount, PrivacyButton } from './privacy.tsx';
import { ProfileDialog } from './profile-dialog.tsx';
import type { Session } from './session.ts';
import { Skeleton } from './skeleton.tsx';
import { Statement } from './statement/statement.tsx';
import { useText } from './text/language.tsx';
import { useOnline } from './use-online.ts';

export type Account = NonNullable<NonNullable<HomeQuery['accounts']>[number]>;

interface HomeProps {
  readonly session: Session;
  /** Called if the session has ended elsewhere. */
  readonly onSignIn: () => Promise<boolean>;
  readonly onSignOut: () => void;
}

export function Home({ session, onSignIn, onSignOut }: HomeProps) {
  const text = useText();
  const { data, error, loading, refetch } = useQuery(homeDocument, {
    // A part that fails does not affect the others.
    errorPolicy: 'all',
  });
  const [isProfileOpen, setProfileOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const accounts = data?.accounts?.filter((account) => account !== null) ?? [];
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0];
  const timeZone = timeZoneOf(data?.me);
  return (
    <>
      <header>
        <Holder me={data?.me} />
        {/* After the heading, which has the focus at first: the next Tab leads here. */}
        <a className="skip" href={account ? '#statement' : '#content'}>
          {account ? text.skipToStatement : text.skipToContent}
        </a>
        <PrivacyButton />
        <button
          type="button"
          className="avatar"
          aria-haspopup="dialog"
          onClick={() => setProfileOpen(true)}
        >
          <span aria-hidden="true">{initialsOf(data?.me?.name ?? '') || <HolderIcon />}</span>
          <span className="only-read">{text.profile}</span>
        </button>
      </header>
      {isProfileOpen && (
        <ProfileDialog
          onSignIn={onSignIn}
          onSignOut={onSignOut}
          onClose={() => setProfileOpen(false)}
        />
      )}
      <OfflineNotice session={session} timeZone={timeZone} />
      <main id="content" className="home" tabIndex={-1}>
        <div className="side">
          <FailureNotice
            failure={failureOf(error)}
            onRetry={() => void refetch()}
            onSignIn={onSignIn}
          />
          {loading && <Skeleton of="accounts" count={2} />}
          <Accounts accounts={accounts} chosen={account?.id} onChoose={setChosen} />
          {data?.accounts?.length === 0 && <p className="quiet">{text.noAccounts}</p>}
        </div>
        {account && (
          <Statement
            key={account.id}
            account={account}
            statements={session.statements}
            timeZone={timeZone}
            onSignIn={onSignIn}
          />
        )}
      </main>
    </>
  );
}

/** A person's time zone is that of the state in the address; a company has no address. */
function timeZoneOf(me: HomeQuery['me'] | undefined): string {
  return zoneOf(me?.__typename === 'Person' ? me.address?.state : null);
}

function Holder({ me }: { readonly me: HomeQuery['me'] | undefined }) {
  const text = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed to sign in is gone, and the focus with it.
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="holder">
      <h1 ref={heading} tabIndex={-1}>
        {me?.name ?? text.hello}
      </h1>
      <small>{maskDocument(me?.document ?? '')}</small>
    </div>
  );
}

interface OfflineNoticeProps {
  readonly session: Session;
  readonly timeZone: string;
}

/** Rendered from the start, so that a screen reader announces changes of its text. */
function OfflineNotice({ session, timeZone }: OfflineNoticeProps) {
  const text = useText();
  const isOnline = useOnline();
  const answeredAt = session.answeredAt()?.toISOString();
  return (
    <div role="status" className="offline">
      {!isOnline && (
        <p>
          <OfflineIcon />
          {text.offline(answeredAt ? formatTime(answeredAt, text.locale, timeZone) : null)}
        </p>
      )}
    </div>
  );
}

interface AccountsProps {
  readonly accounts: readonly Account[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

function Accounts({ accounts, chosen, onChoose }: AccountsProps) {
  const text = useText();
  return (
    <ul className="accounts" aria-label={text.accounts}>
      {accounts.map(({ id, agency, number, balance }) => (
        <li key={id}>
          <button type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
            <small>{text.accountName(agency ?? '—', number ?? '—')}</small>
            <strong>
              {balance === null ? (
                text.noBalance
              ) : (
                <Amount>{formatReais(balance, text.locale)}</Amount>
              )}
            </strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
