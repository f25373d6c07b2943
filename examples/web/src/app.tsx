// The app: the list of customers when signed out, and the home of one of them when signed in.
import { ApolloProvider } from '@apollo/client/react';
import { useState } from 'react';
import { Home } from './home.tsx';
import { createSession, type Customer, customers, type Session } from './session.ts';
import { LanguageButton, LanguageProvider, useText } from './text/language.tsx';

export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const signOut = () => {
    session?.end();
    setSession(null);
  };
  return (
    <LanguageProvider>
      {session === null ? (
        <SignIn onChoose={(customer) => setSession(createSession(customer))} />
      ) : (
        <ApolloProvider client={session.client}>
          <Home session={session} onSignOut={signOut} />
        </ApolloProvider>
      )}
    </LanguageProvider>
  );
}

/** Replaces the bank's sign-in page, which would give the app a token. */
function SignIn({ onChoose }: { readonly onChoose: (customer: Customer) => void }) {
  const text = useText();
  return (
    <>
      <header>
        <span className="brand">Banco Aurora</span>
        <LanguageButton />
      </header>
      <main className="sign-in">
        <h1>{text.signIn}</h1>
        <p className="quiet">{customers.length === 0 ? text.noCustomers : text.chooseCustomer}</p>
        <ul>
          {customers.map((customer) => (
            <li key={`${customer.tenant}/${customer.name}`}>
              <button type="button" onClick={() => onChoose(customer)}>
                <span>{customer.name}</span>
                <small>{customer.tenant}</small>
              </button>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}
