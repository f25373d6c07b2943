// The holder's page: who is signed in, the language, and signing out. A bystander cannot read whole numbers on it.
import { useQuery } from '@apollo/client/react';
import { Dialog } from './dialog.tsx';
import { profileDocument } from './documents.ts';
import { failureOf } from './failure.ts';
import { FailureNotice } from './failure-notice.tsx';
import type { ProfileQuery } from './generated/graphql.ts';
import { maskDocument, maskEmail, maskNumber } from './people.ts';
import { Skeleton } from './skeleton.tsx';
import { LanguageButton, useText } from './text/language.tsx';
import type { Text } from './text/pt.ts';

interface ProfileDialogProps {
  readonly onSignIn: () => Promise<boolean>;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

export function ProfileDialog({ onSignIn, onSignOut, onClose }: ProfileDialogProps) {
  const text = useText();
  const { data, error, loading, refetch } = useQuery(profileDocument, { errorPolicy: 'all' });
  const me = data?.me;
  return (
    <Dialog title={text.profile} onClose={onClose}>
      {me?.name && <p className="name">{me.name}</p>}
      {loading && <Skeleton of="lines" count={3} />}
      <FailureNotice
        failure={failureOf(error)}
        onRetry={() => void refetch()}
        onSignIn={onSignIn}
      />
      <dl>
        {me &&
          detailsOf(me, text).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <div className="sending">
        <LanguageButton />
        <button type="button" onClick={onSignOut}>
          {text.signOut}
        </button>
      </div>
    </Dialog>
  );
}

/** What is known of the holder, as pairs of name and value. */
function detailsOf(me: NonNullable<ProfileQuery['me']>, text: Text): [string, string][] {
  const names = text.profileNames;
  const { individual, address } =
    me.__typename === 'Person' ? me : { individual: null, address: null };
  const identity = [
    individual?.documentType,
    individual?.documentNumber && maskNumber(individual.documentNumber),
  ];
  const details: [string, string | null][] = [
    [names.document, me.document && maskDocument(me.document)],
    [names.email, me.email && maskEmail(me.email)],
    [names.phone, me.phone && maskNumber(me.phone)],
    [names.identity, identity.filter(Boolean).join(' ')],
    [names.city, [address?.city, address?.state].filter(Boolean).join(' – ')],
  ];
  return details.flatMap(([name, value]) => (value ? [[name, value]] : []));
}
