// The Apollo Sandbox page: its first operation and its headers (docs/explorers.md).
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** Always a holder of the sandbox bank. */
export interface SampleCaller {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
  readonly accounts: readonly string[];
}

const explanation = [
  'The headers of the connection identify the caller (Connection settings, Shared headers):',
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

export function createSandboxPage(caller: SampleCaller | undefined) {
  const { token, tenant } = caller ?? { token: 'YOUR_TOKEN', tenant: 'YOUR_TENANT' };
  // These characters are removed because Apollo Server writes the document into a script element.
  const name = caller?.name.replace(/[<>&']/g, '');
  const filledIn =
    name === undefined
      ? 'Both are placeholders: replace them.'
      : `Filled in: ${name} of the sandbox bank, in its tenant ${tenant}.`;
  return ApolloServerPluginLandingPageLocalDefault({
    footer: false,
    document: [...explanation, filledIn].map((line) => `# ${line}\n`).join('') + operation,
    embed: {
      runTelemetry: false,
      initialState: { sharedHeaders: { authorization: `Bearer ${token}`, 'x-tenant-id': tenant } },
    },
  });
}
