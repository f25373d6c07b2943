// Serves the bank's control routes over HTTP with JSON bodies. They are below /__bank, separate from the service's
// paths.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GenericSchema, getDotPath, safeParse } from 'valibot';
import type { Bank } from '../bank-script.ts';
import { controlRoutes, type ControlRoute } from './control-routes.ts';
import { NotInBankError } from '../data/directory.ts';
import { sendBody } from '../service/send.ts';

const root = '/__bank';
const maxBodyBytes = 16 * 1024 * 1024;

/** Whether a request is for the control routes rather than the service. */
export function isControl({ url = '' }: IncomingMessage): boolean {
  return url === root || url.startsWith(`${root}/`) || url.startsWith(`${root}?`);
}

/** Returns the handler of requests to the control routes of a bank. */
export function createControl(
  bank: Bank,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const routes = controlRoutes.map((route) => ({ ...route, pattern: patternOf(route) }));

  const run = async (request: IncomingMessage): Promise<unknown> => {
    const path = (request.url ?? '').slice(root.length).split('?')[0];
    const found = routes
      .filter(({ method }) => method === request.method)
      .map((route) => ({ route, match: route.pattern.exec(path ?? '') }))
      .find(({ match }) => match !== null);
    if (!found) throw new NotInBankError(`There is no such route; GET ${root} lists all.`);
    const body = await readJson(request);
    const id = decodeURIComponent(found.match?.[1] ?? '');
    return found.route.run({ bank, id, take: (schema) => take(schema, body) });
  };
  return async (request, response) => {
    try {
      const result = await run(request);
      sendJson(response, result === undefined ? 204 : 200, result);
    } catch (error) {
      sendJson(response, statusOf(error), { error: messageOf(error) });
    }
  };
}

/** Validates the body against its schema; throws a RangeError that lists every wrong value. */
function take<T>(schema: GenericSchema<unknown, T>, body: unknown): T {
  const { success, output, issues } = safeParse(schema, body);
  if (success) return output;
  const lines = issues.map((issue) => {
    const path = getDotPath(issue);
    return `body${path === null ? '' : `.${path}`}: ${issue.message}`;
  });
  throw new RangeError(lines.join('\n'));
}

/** The pattern for a route's path, such as `/^\/accounts\/([^/]+)\/ties\/?$/` for `/accounts/:id/ties`. */
function patternOf({ path }: ControlRoute): RegExp {
  return new RegExp(`^${path.replace(/\/$/, '').replace(':id', '([^/]+)')}/?$`);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new RangeError(`The body is over ${maxBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = bytes === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
  if (Array.isArray(body)) throw new RangeError('The body must be an object, not a list.');
  return body;
}

/**
 * The status for an error: 404 for an unknown holder, account or route; 400 for invalid input (bodies, dates, amounts,
 * ids, JSON), which causes a RangeError, SyntaxError or URIError; otherwise 500.
 */
function statusOf(error: unknown): number {
  if (error instanceof NotInBankError) return 404;
  const isInput = [RangeError, SyntaxError, URIError];
  return isInput.some((kind) => error instanceof kind) ? 400 : 500;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = status === 204 ? '' : `${JSON.stringify(value, null, 2)}\n`;
  sendBody(response, status, body, { 'content-type': 'application/json; charset=utf-8' });
}
