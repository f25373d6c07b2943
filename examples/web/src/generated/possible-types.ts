
      export type PossibleTypesResultData = {
  "possibleTypes": {
    "AccountHolder": [
      "Company",
      "Person"
    ],
    "Me": [
      "Company",
      "Person"
    ]
  }
};
      const result: PossibleTypesResultData = {
  "possibleTypes": {
    "AccountHolder": [
      "Company",
      "Person"
    ],
    "Me": [
      "Company",
      "Person"
    ]
  }
};
      export default result;
    