// Creates transactions (docs/service.md) that resemble those of a Brazilian account.
import { rawNumber } from '../json.ts';
import type { Random } from '../random.ts';

/**
 * The fields that the service sends with a transaction, and the kind of each value. The values in scripts and in control
 * bodies are strings, except flags: the digits of a number, or an instant in ISO 8601.
 */
export const transactionFields = {
  id: 'text',
  amount: 'number',
  status: 'text',
  externalStatus: 'text',
  category: 'text',
  beneficiaryName: 'text',
  type: 'text',
  credit: 'flag',
  createdAt: 'instant',
} as const satisfies Readonly<Record<string, 'text' | 'number' | 'flag' | 'instant'>>;

type FieldKinds = typeof transactionFields;

/** A transaction's fields as scripts read and write them. */
export type TransactionFields = {
  readonly [Name in keyof FieldKinds]: FieldKinds[Name] extends 'flag' ? boolean : string;
};

/**
 * A new transaction; omitted fields are generated. `json` is sent verbatim in place of the fields, for rows that
 * violate the documented shape.
 */
export type NewTransaction = Partial<TransactionFields> & { readonly json?: string };

/** A transaction in a statement: its fields, its instant in epoch ms, and its JSON as it is sent. */
export interface Row {
  readonly fields: TransactionFields;
  readonly createdAtMs: number;
  readonly json: string;
}

/**
 * Creates a row with the new transaction's createdAt, or by default with the given instant (epoch ms). Throws if the
 * date is invalid, or if the amount is invalid and `json` is absent.
 */
export function createRow(random: Random, createdAtMs: number, given: NewTransaction = {}): Row {
  const { json, ...known } = given;
  const kind = random.pick(kinds);
  const fields: TransactionFields = {
    id: random.uuid(),
    amount: kind.amount(random),
    ...stateOf(random),
    category: kind.category,
    beneficiaryName: random.pick(kind.beneficiaries),
    type: kind.type,
    credit: kind.credit,
    createdAt: new Date(createdAtMs).toISOString(),
    ...known,
  };
  return rowOf(fields, json);
}

/** The same row at another instant (epoch ms). JSON that was given with the transaction stays unchanged. */
export function moveRow(row: Row, createdAtMs: number): Row {
  const json = row.json === textOf(row.fields) ? undefined : row.json;
  return rowOf({ ...row.fields, createdAt: new Date(createdAtMs).toISOString() }, json);
}

function rowOf(fields: TransactionFields, json: string | undefined): Row {
  const createdAtMs = Date.parse(fields.createdAt);
  if (Number.isNaN(createdAtMs)) throw new RangeError(`${fields.createdAt} is not an instant.`);
  return { fields, createdAtMs, json: json ?? textOf(fields) };
}

const names = Object.keys(transactionFields) as (keyof FieldKinds)[];
const numbers = names.filter((name) => transactionFields[name] === 'number');

function textOf(fields: TransactionFields): string {
  const sent: Record<string, unknown> = { ...fields };
  for (const name of numbers) sent[name] = rawNumber(String(fields[name]));
  return JSON.stringify(sent);
}

/** Nearly all transactions are DONE; some DONE ones have the external status PROCESSING (docs/service.md). */
function stateOf(random: Random): Pick<TransactionFields, 'status' | 'externalStatus'> {
  const lot = random.integer(1, 100);
  if (lot > 8) return { status: 'DONE', externalStatus: 'SUCCESS' };
  if (lot > 5) return { status: 'DONE', externalStatus: 'PROCESSING' };
  return {
    status: random.pick(['PROCESSING', 'CANCELED', 'ERROR']),
    externalStatus: 'PROCESSING',
  };
}

interface Kind {
  readonly type: string;
  readonly category: string;
  readonly credit: boolean;
  readonly beneficiaries: readonly string[];
  readonly amount: (random: Random) => string;
}

/**
 * An amount from 1 to 10,000 reais. Small amounts are more frequent. Many are round, to test that trailing zeros are
 * kept.
 */
function price(random: Random): string {
  const cents = Math.floor(10 ** (2 + 4 * random.next()));
  const rounded = cents - (cents % random.pick([1, 1, 10, 100]));
  return `${Math.trunc(rounded / 100)}.${String(rounded % 100).padStart(2, '0')}`;
}

const oneOf = (amounts: readonly string[]) => (random: Random) => random.pick(amounts);

const people = [
  'João Pedro Almeida',
  'Mariana Souza Lima',
  'Antônio Carlos Gonçalves',
  'Luíza Fernandes Araújo',
  'Thiago Ribeiro Conceição',
  'Camila Nóbrega Teixeira',
  'Sebastião Vieira dos Santos',
  'Inês Magalhães Brandão',
];
const companies = [
  'Companhia de Energia do Vale S.A.',
  'Água & Saneamento Paulista S.A.',
  'Construções Irmãos Peçanha Ltda',
  'Contábil Esperança ME',
];
const shops = [
  'Empório São João',
  'Farmácia Popular Ipê',
  'Açougue Boi Bão',
  'Café Botânico',
  'Livraria Três Estações',
];
const bank = ['Sandbox Instituição de Pagamento S.A.'];

const received = { type: 'PIX', category: 'Pix recebido', credit: true };
const sent = { type: 'PIX', category: 'Pix enviado', credit: false };
const ted = { type: 'TED', category: 'Transferência enviada', credit: false };
const tef = { type: 'TEF', category: 'Transferência enviada', credit: false };
const qrCode = { type: 'PIX_QRCODE', category: 'QR Code pago', credit: false };
const bankFee = { type: 'FEE', category: 'Tarifa bancária', credit: false };
const pixFee = { type: 'FEE', category: 'Tarifa Pix', credit: false };

/** All types and categories that were seen in answers of the service; frequent kinds are repeated. */
const kinds: readonly Kind[] = [
  ...Array<Kind>(6).fill({ ...received, beneficiaries: [...people, ...companies], amount: price }),
  ...Array<Kind>(6).fill({ ...sent, beneficiaries: people, amount: price }),
  ...Array<Kind>(3).fill({ ...qrCode, beneficiaries: shops, amount: price }),
  ...Array<Kind>(2).fill({ ...ted, beneficiaries: companies, amount: price }),
  { ...tef, beneficiaries: people, amount: price },
  { ...bankFee, beneficiaries: bank, amount: oneOf(['9.90', '12.00', '29.90', '100.00']) },
  { ...pixFee, beneficiaries: bank, amount: oneOf(['0.50', '0.99', '1.75', '10.00']) },
];
