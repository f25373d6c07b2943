// A statement as OFX 1.0.2, the version that Brazilian banks offer and that accounting programs read.
import { type WallTime, wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import type { Period } from '../statement/period.ts';

export interface OfxAccount {
  readonly id: string;
  /** Bank code, branch and number, in digits. */
  readonly bank: string | null;
  readonly agency: string | null;
  readonly number: string | null;
}

export interface OfxStatement {
  readonly account: OfxAccount;
  /** The transactions to write. Each has a date and an amount; see `isPosted`. */
  readonly lines: readonly LineFragment[];
  readonly period: Period;
  readonly timeZone: string;
  /** The account's balance as decimal text, and the time at which it was read. */
  readonly balance: string;
  readonly balanceAt: Date;
  readonly language: 'POR' | 'ENG';
}

/**
 * Whether a transaction belongs in an OFX file, whose amounts programs add up. A transaction that is being
 * processed, was canceled or has failed moved no money, and one without a date or an amount cannot be written.
 */
export function isPosted({ status, signedAmount, createdAt }: LineFragment): boolean {
  return status === 'DONE' && signedAmount !== null && createdAt !== null;
}

/**
 * Writes headers and body in windows-1252, as CHARSET declares. Every element is closed, so that the body is also
 * well-formed XML.
 */
export function writeOfx(statement: OfxStatement): Uint8Array<ArrayBuffer> {
  return encodeWindows1252(`${header.join('\r\n')}\r\n\r\n${writeElement(bodyOf(statement))}`);
}

const header = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  'SECURITY:NONE',
  'ENCODING:USASCII',
  'CHARSET:1252',
  'COMPRESSION:NONE',
  'OLDFILEUID:NONE',
  'NEWFILEUID:NONE',
];

/** An element: its name, and its text or the elements in it, in the order of the OFX 1.0.2 DTD. */
type Element = readonly [name: string, content: string | readonly Element[]];

const success: Element = [
  'STATUS',
  [
    ['CODE', '0'],
    ['SEVERITY', 'INFO'],
  ],
];

function bodyOf(statement: OfxStatement): Element {
  const signOn: Element = [
    'SONRS',
    [
      success,
      ['DTSERVER', writeInstant(statement.balanceAt.toISOString(), statement.timeZone)],
      ['LANGUAGE', statement.language],
    ],
  ];
  const transaction: Element = ['STMTTRNRS', [['TRNUID', '0'], success, statementOf(statement)]];
  return [
    'OFX',
    [
      ['SIGNONMSGSRSV1', [signOn]],
      ['BANKMSGSRSV1', [transaction]],
    ],
  ];
}

function statementOf({
  account,
  lines,
  period,
  timeZone,
  balance,
  balanceAt,
}: OfxStatement): Element {
  const readAt = balanceAt.toISOString();
  const times = lines.map(({ createdAt }) => createdAt ?? readAt);
  const list: Element[] = [
    [
      'DTSTART',
      boundOf(period.from, '000000', timeZone) ?? writeInstant(times.at(-1) ?? readAt, timeZone),
    ],
    ['DTEND', boundOf(period.to, '235959', timeZone) ?? writeInstant(readAt, timeZone)],
    ...lines.map((line) => transactionOf(line, timeZone)),
  ];
  return [
    'STMTRS',
    [
      ['CURDEF', 'BRL'],
      ['BANKACCTFROM', accountOf(account)],
      ['BANKTRANLIST', list],
      [
        'LEDGERBAL',
        [
          ['BALAMT', balance],
          ['DTASOF', writeInstant(readAt, timeZone)],
        ],
      ],
    ],
  ];
}

/** BANKID and ACCTID are required: if the bank does not give them, 0 and the account's id identify the account. */
function accountOf({ id, bank, agency, number }: OfxAccount): Element[] {
  const branch: Element[] = agency === null ? [] : [['BRANCHID', agency]];
  return [['BANKID', bank ?? '0'], ...branch, ['ACCTID', number ?? id], ['ACCTTYPE', 'CHECKING']];
}

function transactionOf(line: LineFragment, timeZone: string): Element {
  const { id, type, category, beneficiaryName, credit, signedAmount, createdAt } = line;
  // Zero has no sign, so the direction is not that of the amount.
  const direction = credit === true ? 'CREDIT' : 'DEBIT';
  // NAME may have 32 characters. MEMO may have 255, which is enough for the whole name.
  const name = (beneficiaryName ?? category ?? type ?? id).slice(0, 32);
  const memo = [category, beneficiaryName].filter((text) => text !== null).join(' - ');
  return [
    'STMTTRN',
    [
      ['TRNTYPE', type === 'FEE' ? 'FEE' : direction],
      ['DTPOSTED', writeInstant(createdAt ?? '', timeZone)],
      ['TRNAMT', signedAmount ?? ''],
      ['FITID', id],
      ['NAME', name],
      ['MEMO', memo.slice(0, 255)],
    ],
  ];
}

/** A time of a day in the holder's time zone, with that day's offset: without one it would be in UTC. */
function boundOf(day: string | null, time: string, timeZone: string): string | null {
  if (day === null) return null;
  // At 12:00 UTC it is the same day everywhere in Brazil.
  const offset = offsetText(wallTimeAt(`${day}T12:00:00Z`, timeZone));
  return day.replaceAll('-', '') + time + offset;
}

/** Names of the offsets of Brazil, in hours ahead of UTC. */
const offsetNames: Readonly<Record<number, string>> = { [-3]: 'BRT', [-4]: 'AMT', [-5]: 'ACT' };

/**
 * Local time with its offset, such as `20260630120000[-3:BRT]`. Programs that ignore the offset still book on the right
 * day.
 */
function writeInstant(instant: string, timeZone: string): string {
  const wall = wallTimeAt(instant, timeZone);
  return `${wall.day}${wall.time}`.replace(/\D/g, '') + offsetText(wall);
}

function offsetText({ offsetHours }: WallTime): string {
  // Before 1914, which a period may include, offsets were not whole hours.
  const hours = Math.round(offsetHours);
  return `[${hours}:${offsetNames[hours] ?? 'BRST'}]`;
}

function wallTimeAt(instant: string, timeZone: string): WallTime {
  const wall = wallTimeOf(instant, timeZone);
  if (wall === null) throw new RangeError('not an instant');
  return wall;
}

function writeElement([name, content]: Element): string {
  if (typeof content === 'string') return `<${name}>${escapeText(content)}</${name}>\r\n`;
  return `<${name}>\r\n${content.map(writeElement).join('')}</${name}>\r\n`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeText(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign);
}

/** The characters of windows-1252 from 0x80 to 0x9F; a space stands for the five that are undefined. */
const above0x7f = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** A character without a code becomes its base letter, or `?`. */
function encodeWindows1252(text: string): Uint8Array<ArrayBuffer> {
  const codes = Array.from(text, (sign) => {
    return codeOf(sign) ?? codeOf(sign.normalize('NFKD')[0] ?? '') ?? '?'.charCodeAt(0);
  });
  return Uint8Array.from(codes);
}

/** The code of a character in windows-1252, which is the Unicode code for all that Latin-1 has too; null for none. */
function codeOf(sign: string): number | null {
  if (/^[\0-\x7f\xa0-\xff]$/.test(sign)) return sign.charCodeAt(0);
  const index = above0x7f.indexOf(sign);
  return index < 0 ? null : 0x80 + index;
}
