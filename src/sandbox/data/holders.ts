// Holders of a bank, and their creation from given and generated fields.
import type { NewAccount } from './account-fields.ts';
import { createPersonDetails, type PersonDetails } from './person-details.ts';
import type { Random } from '../random.ts';

export type HolderKind = 'PERSON' | 'COMPANY';

/** A holder to add. An omitted id, name, document, email or phone is generated. */
export interface NewHolder {
  /** The holder's id. Several tenants may have a holder with the same id, with different data in each. */
  readonly id?: string;
  /** Default PERSON. */
  readonly kind?: HolderKind;
  /** Default: the bank's first tenant. */
  readonly tenant?: string;
  readonly name?: string;
  /** Digits of the CPF or CNPJ. */
  readonly document?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly accounts?: readonly NewAccount[];
}

/** The fields that both persons and companies have (docs/mapping.md). */
interface EntityFields {
  readonly id: string;
  readonly email: string;
  readonly emailConfirmation: boolean;
  readonly phone: string;
  readonly phoneConfirmation: boolean;
  readonly name: string;
  readonly document: string;
  readonly status: string;
  readonly onboardingStep: string;
  readonly hasPin: boolean;
}

/** A holder in one tenant. `details` has the individual and the address of a person (docs/service.md). */
export interface Holder {
  readonly kind: HolderKind;
  readonly tenant: string;
  readonly entity: EntityFields;
  readonly details: PersonDetails;
}

/** Creates a holder in a tenant, without accounts. */
export function createHolder(random: Random, tenant: string, given: NewHolder): Holder {
  const kind = given.kind ?? 'PERSON';
  const id = given.id ?? random.uuid();
  const entity = {
    id,
    email: given.email ?? `holder.${id.slice(0, 8)}@example.com`,
    emailConfirmation: true,
    phone: given.phone ?? `+55119${random.digits(8)}`,
    phoneConfirmation: random.next() < 0.9,
    name: given.name ?? `${kind === 'PERSON' ? 'Pessoa' : 'Empresa'} ${id.slice(0, 8)}`,
    document: given.document ?? random.digits(kind === 'PERSON' ? 11 : 14),
    status: 'ACTIVE',
    onboardingStep: 'DONE',
    hasPin: true,
  };
  return { kind, tenant, entity, details: createPersonDetails(random) };
}
