/** The number of runs of a property: 100 in `npm test`, 20,000 in `npm run test:long`. */
export const runs = Number(process.env['RUNS'] ?? 100);
