// What Apollo Sandbox opens with: an operation that says who asks, and the headers that say it (docs/explorers.md).
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** Somebody whom one can ask as in an explorer: never a customer, always of the sandbox bank. */
export interface SampleCaller {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
  /** Ids of the accounts. */
  readonly accounts: readonly string[];
}

const explanation = [
  'Who asks is said in the headers of the connection (Connection settings, Shared headers):',
  '  authorization: Bearer and a token, a JWT; it names the holder whose data is asked for.',
  '  x-tenant-id:   the tenant, the institution that the holder is a customer of; letters, digits and . _ : -',
  'Both go to the account service as they are. The schema can be read without them.',
];

const operation = `query Profile {
  me {
    __typename
    ... on AccountHolder {
      name
    }
  }
  accounts {
    id
    balance
  }
}
`;

/** The plugin that has the page. Placeholders stand in the headers where there is nobody to ask as. */
export function createSandboxPage(caller: SampleCaller | undefined) {
  const { token, tenant } = caller ?? { token: 'YOUR_TOKEN', tenant: 'YOUR_TENANT' };
  return ApolloServerPluginLandingPageLocalDefault({
    footer: false,
    document:
      [...explanation, ...filledIn(caller)].map((line) => `# ${line}\n`).join('') + operation,
    embed: {
      runTelemetry: false,
      initialState: { sharedHeaders: { authorization: `Bearer ${token}`, 'x-tenant-id': tenant } },
    },
  });
}

function filledIn(caller: SampleCaller | undefined): string[] {
  if (caller === undefined) return ['Both hold placeholders so far: put your own there.'];
  // Apollo Server writes the operation into a script.
  const name = caller.name.replace(/[<>&']/g, '');
  return [`Filled in: ${name} of the sandbox bank, in its tenant ${caller.tenant}.`];
}
