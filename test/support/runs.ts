/**
 * The number of cases for which a property is tested: 100 in `npm test`, 20,000 in `npm run test:long`, and a fifth of
 * these in the project `graphql-js` of vitest.config.ts.
 */
export const runs = Number(process.env['RUNS'] ?? 100);
