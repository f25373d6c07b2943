// What went wrong -> what the person at the screen is told, and what can be done about it, by the code of the error.
import { CombinedGraphQLErrors } from '@apollo/client/errors';

export interface Failure {
  /** The gateway's code (docs/errors.md), or OFFLINE where there was no answer. */
  readonly code: string;
  readonly text: string;
  /** `retry`: ask again; `restart`: begin the list anew; `sign-in`: another token is needed. */
  readonly remedy: 'retry' | 'restart' | 'sign-in' | null;
  /** How long to wait before, in seconds, where the gateway knows. */
  readonly retryAfter: number | null;
}

const later: Omit<Failure, 'code'> = {
  text: 'O serviço do banco não respondeu. Tente de novo em instantes.',
  remedy: 'retry',
  retryAfter: null,
};
const busy = { ...later, text: 'Muitos pedidos ao mesmo tempo. Espere um pouco e tente de novo.' };
const signIn = {
  ...later,
  text: 'Sua sessão terminou. Entre de novo.',
  remedy: 'sign-in',
} as const;

const failures: Readonly<Record<string, Omit<Failure, 'code'>>> = {
  OFFLINE: { ...later, text: 'Sem conexão. Confira a internet e tente de novo.' },
  UNAUTHENTICATED: signIn,
  TENANT_REQUIRED: signIn,
  FORBIDDEN: { ...later, text: 'Você não tem acesso a estes dados.', remedy: null },
  NOT_FOUND: { ...later, text: 'Esta conta não existe mais.', remedy: null },
  RATE_LIMITED: busy,
  OVERLOADED: busy,
  SHUTTING_DOWN: busy,
  UPSTREAM_TIMEOUT: later,
  UPSTREAM_UNAVAILABLE: later,
  CURSOR_EXPIRED: {
    ...later,
    text: 'O extrato mudou enquanto você lia. Recarregue para continuar.',
    remedy: 'restart',
  },
};

const unknown = { ...later, text: 'Não conseguimos mostrar esta parte.', remedy: null };

/** The failure of an operation, or of that part of it whose path begins with `field`; null where it went well. */
export function failureOf(error: unknown, field?: string): Failure | null {
  if (error === undefined || error === null) return null;
  if (!CombinedGraphQLErrors.is(error)) return told('OFFLINE');
  const found = error.errors.find(
    ({ path }) => path === undefined || path[0] === (field ?? path[0]),
  );
  if (found === undefined) return null;
  const { code, retryAfter } = found.extensions ?? {};
  return told(String(code), typeof retryAfter === 'number' ? retryAfter : null);
}

function told(code: string, retryAfter: number | null = null): Failure {
  return { ...(failures[code] ?? unknown), code, retryAfter };
}
