// The app: the choice of a bank to sign in to when signed out, and the home of the holder when signed in.
import { ApolloProvider } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { Home } from './home.tsx';
import { PrivacyProvider } from './privacy.tsx';
import {
  createSession,
  onSignOutElsewhere,
  readSignInState,
  signInUrl,
  type Session,
  type SignInState,
} from './session.ts';
import { RenewalDialog, SignIn } from './sign-in.tsx';
import { LanguageProvider } from './text/language.tsx';

export function App() {
  const [state, setState] = useState<SignInState | 'unknown' | 'offline'>('unknown');
  const [session, setSession] = useState<Session | null>(null);
  const look = async () => {
    try {
      const found = await readSignInState();
      setState(found);
      setSession(found.signedIn ? createSession(null) : null);
    } catch {
      // There was no answer: the page says so, and offers to try again.
      setState('offline');
    }
  };
  useEffect(() => void look(), []);
  const leave = () => {
    session?.end();
    setSession(null);
    void look();
  };
  // A pasted token can be replaced by another one of the holder, and what was loaded stays.
  const [renewal, setRenewal] = useState<((isRenewed: boolean) => void) | null>(null);
  const signInAgain = (): Promise<boolean> => {
    if (session?.renew != null) return new Promise((resolve) => setRenewal(() => resolve));
    // Even if the kit still has a session: its token was rejected.
    if (typeof state === 'object' && state.signedIn) location.assign(signInUrl(state.tenant));
    else leave();
    return Promise.resolve(false);
  };
  const endRenewal = (isRenewed: boolean) => {
    renewal?.(isRenewed);
    setRenewal(null);
  };
  useEffect(() => onSignOutElsewhere(leave));
  const signOut = async () => {
    setSession(null);
    await session?.signOut();
    if (session?.renew !== null) leave();
  };
  return (
    <LanguageProvider>
      {session === null ? (
        <SignIn
          state={state}
          onRetry={() => void look()}
          onPaste={(pasted) => setSession(createSession(pasted))}
        />
      ) : (
        <ApolloProvider client={session.client}>
          <PrivacyProvider>
            <Home session={session} onSignIn={signInAgain} onSignOut={() => void signOut()} />
          </PrivacyProvider>
          {renewal !== null && (
            <RenewalDialog
              onToken={(token) => {
                session.renew?.(token);
                endRenewal(true);
              }}
              onClose={() => endRenewal(false)}
            />
          )}
        </ApolloProvider>
      )}
    </LanguageProvider>
  );
}
