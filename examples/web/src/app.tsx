// The app: signed out, the customers to choose from; signed in, one of them at home.
import type { ApolloClient } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { useState } from 'react';
import { Home } from './home.tsx';
import { createClient, type Customer, customers } from './session.ts';

export function App() {
  const [client, setClient] = useState<ApolloClient | null>(null);
  if (client === null) return <SignIn onChoose={(customer) => setClient(createClient(customer))} />;
  const signOut = () => {
    client.stop();
    setClient(null);
  };
  return (
    <ApolloProvider client={client}>
      <Home onSignOut={signOut} />
    </ApolloProvider>
  );
}

/** Stands for the bank's sign-in page, which would give the app a token. */
function SignIn({ onChoose }: { readonly onChoose: (customer: Customer) => void }) {
  return (
    <main className="sign-in">
      <h1>Entrar</h1>
      {customers.length === 0 && <p>Nenhum cliente: inicie com “npm run example”.</p>}
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
  );
}
