// Transactions to export, and readers of CSV and OFX, for tests of the exports of examples/web.
import type { LineFragment } from '../../examples/web/src/generated/graphql.ts';

/** A transaction as the gateway returns it, with the given fields replaced. */
export function lineOf(given: Partial<LineFragment> = {}): LineFragment {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    amount: '22.00',
    credit: false,
    signedAmount: '-22.00',
    status: 'DONE',
    externalStatus: 'SUCCESS',
    type: 'PIX',
    category: 'Pix enviado',
    beneficiaryName: 'João Pedro Almeida',
    createdAt: '2026-06-30T15:00:00.000Z',
    ...given,
  };
}

/** Parses records of cells by RFC 4180, with any separator. A quote in an unquoted cell is text. */
export function readCsv(content: string, separator: string): string[][] {
  const text = content.replace(/^\uFEFF/, '');
  const cell = RegExp(
    `(?:"((?:[^"]|"")*)"([^${separator}\\r]*)|([^${separator}\\r]*))(${separator}|\\r\\n)`,
    'gy',
  );
  const records: string[][] = [];
  let record: string[] = [];
  let end = 0;
  for (const [found, quoted, rest = '', plain = '', after] of text.matchAll(cell)) {
    end += found.length;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + rest);
    if (after !== separator) {
      records.push(record);
      record = [];
    }
  }
  if (end !== text.length || record.length > 0) throw new SyntaxError(`no CSV at ${end}`);
  return records;
}

export interface OfxElement {
  readonly name: string;
  /** The text of the element; empty if it contains other elements. */
  readonly text: string;
  readonly children: readonly OfxElement[];
}

/** Parses an OFX file; returns the headers by name, and the root element. Throws if the body is not well-formed. */
export function readOfx(bytes: Uint8Array): { headers: Map<string, string>; root: OfxElement } {
  const text = new TextDecoder('windows-1252').decode(bytes);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const headers = head.split('\r\n').map((line) => line.split(':') as [string, string]);
  const [root, rest] = readElement(body.trim());
  if (rest.trim() !== '') throw new SyntaxError(`after the end: ${rest.slice(0, 40)}`);
  return { headers: new Map(headers), root };
}

/** The first element of the text, and the text after it. */
function readElement(text: string): [OfxElement, string] {
  const [open, name] = /^<([A-Z0-9.]+)>/.exec(text) ?? [];
  if (open === undefined || name === undefined) {
    throw new SyntaxError(`no element: ${text.slice(0, 40)}`);
  }
  const close = `</${name}>`;
  const children: OfxElement[] = [];
  let rest = text.slice(open.length);
  if (!/^\s*</.test(rest)) {
    const end = rest.indexOf('<');
    const content = rest
      .slice(0, end)
      .replace(/&(lt|gt|amp);/g, (_, sign) => signs[String(sign)] ?? '');
    return [{ name, text: content, children }, afterClose(rest.slice(end), close)];
  }
  for (rest = rest.trimStart(); !rest.startsWith('</');) {
    const [child, after] = readElement(rest);
    children.push(child);
    rest = after.trimStart();
  }
  return [{ name, text: '', children }, afterClose(rest, close)];
}

const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };

function afterClose(text: string, close: string): string {
  if (!text.startsWith(close)) throw new SyntaxError(`no ${close}: ${text.slice(0, 40)}`);
  return text.slice(close.length);
}

/** The descendants of an element that a path of names selects. */
export function elementsAt(element: OfxElement, ...path: readonly string[]): OfxElement[] {
  const [name, ...rest] = path;
  if (name === undefined) return [element];
  const found = element.children.filter((child) => child.name === name);
  return found.flatMap((child) => elementsAt(child, ...rest));
}

/** The sum, in centavos, of amounts in reais with at most two decimal places. */
export function sumOfCentavos(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => {
    const [, reais = '', centavos = ''] = /^(-?\d+)(?:[.,](\d{1,2}))?$/.exec(amount) ?? [];
    return sum + BigInt(reais + centavos.padEnd(2, '0'));
  }, 0n);
}

/** Formats an amount in centavos: `-5519378n` becomes `-R$ 55.193,78`. */
export function reais(centavos: bigint): string {
  const digits = String(centavos < 0n ? -centavos : centavos).padStart(3, '0');
  return `${centavos < 0n ? '-' : ''}R$ ${grouped(digits.slice(0, -2))},${digits.slice(-2)}`;
}

/** Groups digits by thousands: `5000` becomes `5.000`. */
export function grouped(digits: string | number): string {
  return String(digits).replace(/\B(?=(?:\d{3})+$)/g, '.');
}
