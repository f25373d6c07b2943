// What stands in the service's answers beside or against its document: fields, values, and where values are violations.
import { ContractViolationError } from '../errors.ts';
import {
  type AnswerObserver,
  documentedValues,
  observePage,
  observeProfile,
} from '../upstream/answer-observer.ts';
import { parseCompany, parsePerson } from '../upstream/profile-shape.ts';
import { parseStatementPage } from '../upstream/statement-shape.ts';
import { documentedFields, documentedStatuses } from './document.ts';
import { counted, type Finding } from './finding.ts';
import type { Reply } from './service.ts';

export type Endpoint = '/persons' | '/companies' | '/transactions';

/** Looks into every answer that it is shown, and tells in the end what was odd. */
export interface Contents {
  /** An answer with status 200. */
  add(endpoint: Endpoint, reply: Reply): void;
  findings(): Finding[];
}

/** Names and values that cannot be about a person: anything else is counted, not shown. */
const plainName = /^[A-Za-z_][\w-]{0,39}$/;
const plainCode = /^[A-Z][A-Z0-9_]{0,31}$/;

export function createContents(): Contents {
  const seen = new Set<string>();
  const extra = new Set<string>();
  const values = new Set<string>();
  const violations = new Map<string, number>();
  const objects = new Set<string>();

  const look = (place: string, value: unknown): void => {
    if (Array.isArray(value)) value.forEach((element) => look(`${place}[]`, element));
    const documented = documentedFields[place];
    if (documented === undefined || !isObject(value)) return;
    objects.add(place);
    for (const [name, field] of Object.entries(value)) {
      if (field !== null) seen.add(`${place}.${name}`);
      if (documented.includes(name))
        look(`${place}${place.includes(' ') ? '.' : ' '}${name}`, field);
      else extra.add(`${place}.${plainName.test(name) ? name : '(a name not shown)'}`);
    }
    if (place === '/transactions data[]')
      addValue('transaction.status', value['status'], documentedStatuses);
  };
  const addValue = (field: string, value: unknown, documented: readonly string[]): void => {
    if (typeof value !== 'string' || documented.includes(value)) return;
    values.add(`${field} ${plainCode.test(value) ? value : '(another text)'}`);
  };
  const observer: AnswerObserver = {
    violation(pointer) {
      const place = pointer.replace(/\/\d+/g, '/*');
      violations.set(place, (violations.get(place) ?? 0) + 1);
    },
    value: (field, value) => addValue(field, value, documentedValues[field]),
  };

  return {
    add(endpoint, { text }) {
      try {
        readers[endpoint](text, observer);
        look(endpoint, JSON.parse(text));
      } catch (error) {
        if (!(error instanceof ContractViolationError)) throw error;
        observer.violation(`${endpoint} ${error.pointer}`);
      }
    },
    findings: () => [
      listed(
        'unknown-fields',
        'Fields that the document does not name',
        extra,
        'the gateway leaves them out',
      ),
      listed(
        'missing-fields',
        'Fields that never came with a value',
        missing(objects, seen),
        'they are null',
      ),
      listed(
        'unknown-values',
        'Values that the document does not name',
        values,
        'open sets are passed on; another status is an error on its field',
      ),
      listed(
        'violations',
        'Values that are not of their type',
        [...violations].map(([place, count]) => `${place} (${counted(count, 'time')})`),
        'each is null, with UPSTREAM_CONTRACT_VIOLATION on its path',
      ),
    ],
  };
}

const readers: Readonly<Record<Endpoint, (text: string, observer: AnswerObserver) => void>> = {
  '/persons': (text, observer) => observeProfile(parsePerson(text), observer),
  '/companies': (text, observer) => observeProfile(parseCompany(text), observer),
  '/transactions': (text, observer) => observePage(parseStatementPage(text), observer),
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Documented fields of objects that came, none of which ever had the field. */
function missing(objects: ReadonlySet<string>, seen: ReadonlySet<string>): string[] {
  return [...objects].flatMap((place) =>
    (documentedFields[place] ?? [])
      .map((name) => `${place}.${name}`)
      .filter((path) => !seen.has(path)),
  );
}

function listed(id: string, question: string, items: Iterable<string>, meaning: string): Finding {
  const all = [...items].sort();
  return {
    id,
    question: `${question}?`,
    answer: all.length === 0 ? 'none' : all.join(', '),
    seen: all.length === 0 ? 'in all answers' : meaning,
  };
}
