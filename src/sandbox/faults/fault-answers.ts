// Sends the faults that scripts add. Those that disturb the transfer of an answer are in fault-transfers.ts.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { refuse, type Answer } from '../service/answer.ts';
import { cutBody, delay, drip, hang, reset, sendHugeBody } from './fault-transfers.ts';
import type { Exchange, FaultOf } from './fault-transfers.ts';
import type { FaultKind } from './faults.ts';
import { changeJson } from '../json.ts';
import { sendAnswer, sendBody } from '../service/send.ts';

/** Answers a request with the fault. */
export function sendFault(fault: FaultKind, exchange: Exchange): void {
  // The table has a function for each kind, but TypeScript cannot infer that from the look-up.
  const send = senders[fault.kind] as (fault: FaultKind, exchange: Exchange) => void;
  send(fault, exchange);
}

const senders: {
  readonly [K in FaultKind['kind']]: (fault: FaultOf<K>, exchange: Exchange) => void;
} = {
  status: sendStatus,
  html: sendHtml,
  brokenJson: sendBrokenJson,
  wrongShape: sendWrongShape,
  nested: sendNested,
  encoding: sendEncoded,
  redirect: sendRedirect,
  informational: sendInformational,
  reset,
  hang,
  cutBody,
  drip,
  delay,
  hugeBody: sendHugeBody,
};

function sendStatus(fault: FaultOf<'status'>, { response, answer }: Exchange): void {
  const { status, retryAfter, contentType } = fault;
  const isEmpty = status === 204 || status === 304;
  const usual = () => (status < 300 ? answer() : refuse(status, 'A script asked for this fault.'));
  const body = fault.body ?? (isEmpty ? '' : usual().body);
  const headers = {
    'content-type': contentType ?? 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  sendBody(response, status, body, headers);
}

function sendHtml({ body }: FaultOf<'html'>, { response }: Exchange): void {
  const page = '<!doctype html><title>Manutenção</title><h1>Voltamos já</h1>';
  sendBody(response, 200, body ?? page, { 'content-type': 'text/html; charset=utf-8' });
}

function sendBrokenJson(_fault: FaultOf<'brokenJson'>, { response, answer }: Exchange): void {
  sendChanged(response, answer(), (body) => body.slice(0, body.length >> 1));
}

function sendWrongShape(fault: FaultOf<'wrongShape'>, { response, answer }: Exchange): void {
  sendChanged(response, answer(), (body) => changeJson(body, fault.pointer, fault));
}

function sendNested(
  { depth, pointer = '' }: FaultOf<'nested'>,
  { response, answer }: Exchange,
): void {
  const raw = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  sendChanged(response, answer(), (body) => changeJson(body, pointer, { raw }));
}

function sendChanged(
  response: Exchange['response'],
  answer: Answer,
  change: (body: string) => string,
): void {
  sendAnswer(response, { ...answer, body: change(answer.body) });
}

const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

function sendEncoded(
  { encoding = 'gzip' }: FaultOf<'encoding'>,
  { response, answer }: Exchange,
): void {
  const { status, body } = answer();
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  sendBody(response, status, encoders[encoding](body), headers);
}

function sendRedirect(fault: FaultOf<'redirect'>, { response, target }: Exchange): void {
  const again = `${target}${target.includes('?') ? '&' : '?'}redirected=1`;
  sendBody(response, fault.status ?? 302, '', { location: fault.location ?? again });
}

function sendInformational(fault: FaultOf<'informational'>, { response, answer }: Exchange): void {
  if (fault.status === 102) response.writeProcessing();
  else response.writeEarlyHints({ link: '</style.css>; rel=preload' });
  sendAnswer(response, answer());
}
