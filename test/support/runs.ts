/**
 * The number of cases for which a property is tested: 25 in `npm test` (100 in the unit tests), 1,000 in CI and 20,000
 * by default in `npm run test:long`; of these, a fifth in the project `graphql-js` of vitest.config.ts.
 */
export const runs = Number(process.env['RUNS'] ?? 25);
