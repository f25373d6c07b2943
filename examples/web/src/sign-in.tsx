// The page of somebody who is not signed in: a link to each bank's sign-in page, and a form for a token.
import type { SubmitEvent } from 'react';
import { Dialog } from './dialog.tsx';
import { failureBy } from './failure.ts';
import { FailureNotice } from './failure-notice.tsx';
import { type PastedToken, type SignInState, signInUrl } from './session.ts';
import { LanguageButton, useText } from './text/language.tsx';

/** The failure of this page is that there is no network. */
const never = () => Promise.resolve(false);

interface SignInProps {
  readonly state: SignInState | 'unknown' | 'offline';
  readonly onRetry: () => void;
  readonly onPaste: (pasted: PastedToken) => void;
}

export function SignIn({ state, onRetry, onPaste }: SignInProps) {
  const text = useText();
  const tenants = typeof state === 'object' && !state.signedIn ? state.tenants : [];
  return (
    <>
      <header>
        <span className="brand">Banco Aurora</span>
        <LanguageButton />
      </header>
      <main className="sign-in">
        <h1>{text.signIn}</h1>
        {state === 'offline' && (
          <FailureNotice failure={failureBy('OFFLINE')} onRetry={onRetry} onSignIn={never} />
        )}
        {tenants.length > 0 && <p className="quiet">{text.chooseBank}</p>}
        <ul>
          {tenants.map((tenant) => (
            <li key={tenant}>
              <a className="button" href={signInUrl(tenant)}>
                {tenant}
              </a>
            </li>
          ))}
        </ul>
        {typeof state === 'object' && <TokenForm onPaste={onPaste} />}
      </main>
    </>
  );
}

/** For developers: the token goes to the gateway directly, and stays in the memory of the page. */
function TokenForm({ onPaste }: Pick<SignInProps, 'onPaste'>) {
  const text = useText();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    onPaste({ tenant: readField(form, 'tenant'), token: readField(form, 'token') });
  };
  return (
    <details className="token">
      <summary>{text.useToken}</summary>
      <form onSubmit={submit}>
        <label>
          {text.tenant}
          <input name="tenant" required autoComplete="off" />
        </label>
        <TokenField />
      </form>
    </details>
  );
}

function TokenField() {
  const text = useText();
  return (
    <>
      <label>
        {text.token}
        <input name="token" type="password" required autoComplete="off" />
      </label>
      <button type="submit" className="primary">
        {text.signIn}
      </button>
    </>
  );
}

interface RenewalDialogProps {
  readonly onToken: (token: string) => void;
  readonly onClose: () => void;
}

/** Asks for another token of the same holder after the first one has expired. */
export function RenewalDialog({ onToken, onClose }: RenewalDialogProps) {
  const text = useText();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onToken(readField(event.currentTarget, 'token'));
  };
  return (
    <Dialog title={text.signIn} onClose={onClose}>
      <form className="token" onSubmit={submit}>
        <TokenField />
      </form>
    </Dialog>
  );
}

function readField(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
