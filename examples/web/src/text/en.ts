// Every text of the app in English.
import type { Text } from './pt.ts';

export const en: Text = {
  locale: 'en',
  ofxLanguage: 'ENG',
  csv: {
    separator: ',',
    decimalMark: '.',
    titles: ['Date', 'Time', 'Category', 'Counterparty', 'Type', 'Status', 'Amount', 'Id'],
    statusNames: {
      PROCESSING: 'In progress',
      DONE: 'Completed',
      CANCELED: 'Canceled',
      ERROR: 'Failed',
    },
  },
  otherLanguage: 'Português',
  skipToStatement: 'Go to the statement',
  skipToContent: 'Go to the content',
  loading: 'Loading…',
  hideAmounts: 'Hide amounts',
  hiddenAmount: 'Hidden amount',
  close: 'Close',

  signIn: 'Sign in',
  signOut: 'Sign out',
  chooseBank: 'Choose your institution.',
  useToken: 'Use a token (development)',
  tenant: 'Institution (x-tenant-id)',
  token: 'Token',
  hello: 'Hello',

  profile: 'Profile',
  profileNames: {
    document: 'CPF or CNPJ',
    email: 'Email',
    phone: 'Phone',
    identity: 'Identity document',
    city: 'City',
  },

  accounts: 'Accounts',
  noAccounts: 'You have no accounts yet.',
  accountName: (agency, number) => `Branch ${agency} · Account ${number}`,
  noBalance: 'Balance unavailable',

  statement: 'Statement',
  update: 'Update',
  updating: 'Updating…',
  releaseToUpdate: 'Release to update',
  news: (count) => {
    if (count === 0) return 'Nothing new';
    return count === 1 ? '1 new transaction' : `${count} new transactions`;
  },
  noDate: 'No date',
  directions: { in: 'In', out: 'Out', unknown: 'Direction unknown' },
  transaction: 'Transaction',
  noAmount: 'Amount unavailable',
  unreadable: (count) =>
    count === 1
      ? '1 transaction could not be read and is missing from the list.'
      : `${count} transactions could not be read and are missing from the list.`,
  endOfStatement: 'End of the statement',
  noTransactions: 'No transactions yet.',
  noTransactionsInPeriod: 'No transactions in this period.',

  period: 'Period',
  everything: 'All',
  otherPeriod: 'Other period',
  from: 'From',
  to: 'To',
  apply: 'Apply',
  datePattern: 'mm/dd/yyyy',
  wrongDate: 'Write the day like this: 06/30/2026.',
  wrongOrder: 'The period cannot end before it starts.',
  wholeDays: (zone) => `Both days count in full. Days are those of ${zone}.`,

  search: 'Search the loaded transactions',
  found: (count, loaded) =>
    `${count} of ${loaded} loaded transactions ${count === 1 ? 'matches' : 'match'} the search`,
  searchOlder: 'Load older ones',

  loadMonth: (month) => `Load ${month}`,

  totals: 'In and out',
  totalsOf: {
    DONE: 'Completed',
    PROCESSING: 'In progress',
    CANCELED: 'Canceled',
    ERROR: 'Failed',
    UNKNOWN: 'Of unknown status',
  },
  cameIn: 'Came in',
  wentOut: 'Went out',
  addUp: 'Add up what came in and went out',
  addingUp: (read) => `Adding up… ${read} transactions read`,
  notAddedUp: (count) =>
    count === 1
      ? '1 transaction is in no sum, because it could not be read completely.'
      : `${count} transactions are in no sum, because they could not be read completely.`,

  details: 'Transaction details',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'It could not be copied.',
  share: 'Share',
  types: {
    PIX: 'Pix',
    TED: 'TED',
    TEF: 'Transfer between accounts',
    FEE: 'Fee',
    PIX_QRCODE: 'Pix by QR code',
  },
  externalStatuses: {
    SUCCESS: 'Completed',
    PROCESSING: 'In progress',
  },
  detailNames: {
    category: 'Category',
    beneficiary: { in: 'From', out: 'To', unknown: 'Counterparty' },
    type: 'Type',
    status: 'Status',
    externalStatus: 'External processing',
    at: 'Date and time',
    id: 'Identifier',
  },

  offline: (time) =>
    time === null
      ? 'You are offline.'
      : `You are offline. This was loaded by ${time}; nothing was stored on this device.`,
  onlyLoaded: 'Only transactions of this period that were already loaded; some may be missing.',

  export: 'Export',
  exportTitle: 'Export the statement',
  exportFormat: 'Format',
  exportFormats: {
    csv: { name: 'CSV', use: 'for spreadsheets; every transaction, with its status' },
    ofx: { name: 'OFX', use: 'for finance programs; only completed ones' },
  },
  exportHint: 'Without dates, the whole statement.',
  exportStart: 'Export',
  exportCancel: 'Cancel the export',
  exportCanceled: 'Export canceled. No file was saved.',
  exportProgress: 'Progress of the export',
  exportRead: (read, total) => `${read} of ${total} transactions read`,
  exportRunning: 'Reading the statement…',
  exportDone: 'The file is ready.',
  exportCount: 'Transactions in the file',
  exportSums: {
    DONE: 'Sum of completed ones',
    PROCESSING: 'Sum of those in progress',
    CANCELED: 'Sum of canceled ones',
    ERROR: 'Sum of failed ones',
    UNKNOWN: 'Sum of those of unknown status',
  },
  exportWithoutAmount: (count) =>
    count === 1
      ? '1 transaction is in the file without an amount, and in no sum.'
      : `${count} transactions are in the file without an amount, and in no sum.`,
  exportLeftOut: (count) =>
    count === 1
      ? '1 transaction that is in progress, canceled, failed or without an amount was left out.'
      : `${count} transactions that are in progress, canceled, failed or without an amount were left out.`,
  exportUnreadable: (count) =>
    count === 1
      ? '1 transaction could not be read and is missing from the file.'
      : `${count} transactions could not be read and are missing from the file.`,
  exportAgain: 'Download again',
  exportName: 'statement',

  retry: 'Try again',
  retryIn: (seconds) => `Try again in ${seconds} s`,
  failures: {
    OFFLINE: 'You are offline. Check the connection and try again.',
    UNAUTHENTICATED: 'Your session has ended. Sign in again.',
    FORBIDDEN: 'You have no access to these data.',
    NOT_FOUND: 'This account no longer exists.',
    RATE_LIMITED: 'Too many requests at once. Wait a little and try again.',
    UPSTREAM_UNAVAILABLE: 'The bank’s service did not answer. Try again in a moment.',
    CURSOR_EXPIRED: 'The statement changed while you were reading. Reload to go on.',
    STATEMENT_UNSETTLED: 'The statement is changing right now. Try again.',
    TOO_MANY: 'There are too many transactions for one file. Choose a shorter period.',
    NO_BALANCE:
      'The balance could not be read, and an OFX file has to contain it. Try again, or export as CSV.',
    UNKNOWN: 'We could not show this part.',
  },
};
