// Generates the parts that only a person's profile has: the individual and the address (docs/service.md).
import { rawNumber } from '../json.ts';
import type { Random } from '../random.ts';

/** The two objects that only a person's profile has (docs/mapping.md). */
export interface PersonDetails {
  readonly individual: unknown;
  readonly address: unknown;
}

export function createPersonDetails(random: Random): PersonDetails {
  const place = random.pick(places);
  return {
    individual: {
      id: random.uuid(),
      birthDate: midnight(random, 1955, 2005),
      motherName: random.pick([
        'Maria Aparecida dos Santos',
        'Conceição Araújo',
        'Rosângela Brandão',
      ]),
      fatherName: random.pick(['José Antônio dos Santos', 'Sebastião Araújo', null]),
      income: rawNumber(`${random.integer(1, 25)}${random.digits(3)}.${random.pick(['00', '50'])}`),
      nationality: 'BRASILEIRA',
      publiclyExposedPerson: false,
      documentType: 'CNH',
      documentNumber: random.digits(11),
      documentUf: place.state,
      documentIssuing: 'DETRAN',
      documentDateIssue: midnight(random, 2018, 2024),
      documentExpiration: midnight(random, 2028, 2034),
    },
    address: {
      id: random.uuid(),
      ...place,
      number: String(random.integer(1, 2500)),
      complement: random.pick(['Apto 42', 'Casa 2', '']),
    },
  };
}

const places = [
  {
    zipCode: '01310100',
    state: 'SP',
    city: 'São Paulo',
    neighborhood: 'Bela Vista',
    street: 'Avenida Paulista',
  },
  {
    zipCode: '30130010',
    state: 'MG',
    city: 'Belo Horizonte',
    neighborhood: 'Centro',
    street: 'Praça Sete de Setembro',
  },
  {
    zipCode: '05001000',
    state: 'SP',
    city: 'São Paulo',
    neighborhood: 'Água Branca',
    street: 'Avenida Água Branca',
  },
  {
    zipCode: '88015200',
    state: 'SC',
    city: 'Florianópolis',
    neighborhood: 'Centro',
    street: 'Rua Bocaiúva',
  },
];

function midnight(random: Random, fromYear: number, toYear: number): string {
  const year = random.integer(fromYear, toYear);
  return new Date(Date.UTC(year, random.integer(0, 11), random.integer(1, 28))).toISOString();
}
