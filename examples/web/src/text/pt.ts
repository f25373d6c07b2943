// Every text of the app in Portuguese. `Text` lists the texts that another language needs.
import type { CsvFormat } from '../export/csv.ts';

const csv: CsvFormat = {
  separator: ';',
  decimalMark: ',',
  titles: ['Data', 'Hora', 'Categoria', 'Favorecido', 'Tipo', 'Situação', 'Valor', 'Id'],
  statusNames: {
    PROCESSING: 'Em processamento',
    DONE: 'Efetivada',
    CANCELED: 'Cancelada',
    ERROR: 'Não realizada',
  },
};

export const pt = {
  locale: 'pt-BR' as 'pt-BR' | 'en',
  ofxLanguage: 'POR' as 'POR' | 'ENG',
  csv,
  /** The label of the button that switches to the other language, in that language. */
  otherLanguage: 'English',
  skipToStatement: 'Ir para o extrato',
  skipToContent: 'Ir para o conteúdo',
  loading: 'Carregando…',
  hideAmounts: 'Ocultar valores',
  hiddenAmount: 'Valor oculto',
  close: 'Fechar',

  signIn: 'Entrar',
  signOut: 'Sair',
  chooseBank: 'Escolha a sua instituição.',
  useToken: 'Usar um token (desenvolvimento)',
  tenant: 'Instituição (x-tenant-id)',
  token: 'Token',
  hello: 'Olá',

  profile: 'Perfil',
  profileNames: {
    document: 'CPF ou CNPJ',
    email: 'E-mail',
    phone: 'Telefone',
    identity: 'Documento',
    city: 'Cidade',
  },

  accounts: 'Contas',
  noAccounts: 'Você ainda não tem contas.',
  accountName: (agency: string, number: string) => `Ag. ${agency} · Conta ${number}`,
  noBalance: 'Saldo indisponível',

  statement: 'Extrato',
  update: 'Atualizar',
  updating: 'Atualizando…',
  releaseToUpdate: 'Solte para atualizar',
  news: (count: number) => {
    if (count === 0) return 'Nada de novo';
    return count === 1 ? '1 nova transação' : `${count} novas transações`;
  },
  noDate: 'Sem data',
  directions: { in: 'Entrada', out: 'Saída', unknown: 'Sentido desconhecido' },
  transaction: 'Transação',
  noAmount: 'Valor indisponível',
  unreadable: (count: number) =>
    count === 1
      ? '1 transação não pôde ser lida e falta na lista.'
      : `${count} transações não puderam ser lidas e faltam na lista.`,
  endOfStatement: 'Fim do extrato',
  noTransactions: 'Nenhuma transação ainda.',
  noTransactionsInPeriod: 'Nenhuma transação neste período.',

  period: 'Período',
  everything: 'Tudo',
  otherPeriod: 'Outro período',
  from: 'De',
  to: 'Até',
  apply: 'Aplicar',
  datePattern: 'dd/mm/aaaa',
  wrongDate: 'Escreva o dia assim: 30/06/2026.',
  wrongOrder: 'O fim do período não pode vir antes do início.',
  wholeDays: (zone: string) => `Os dois dias contam por inteiro. Os dias são os do ${zone}.`,

  search: 'Buscar no que foi carregado',
  found: (count: number, loaded: number) =>
    `${count} de ${loaded} transações carregadas ${count === 1 ? 'corresponde' : 'correspondem'} à busca`,
  searchOlder: 'Carregar mais antigas',

  loadMonth: (month: string) => `Carregar ${month}`,

  totals: 'Entradas e saídas',
  totalsOf: {
    DONE: 'Efetivadas',
    PROCESSING: 'Em processamento',
    CANCELED: 'Canceladas',
    ERROR: 'Não realizadas',
    UNKNOWN: 'De situação desconhecida',
  },
  cameIn: 'Entrou',
  wentOut: 'Saiu',
  addUp: 'Somar entradas e saídas',
  addingUp: (read: number) => `Somando… ${read} transações lidas`,
  notAddedUp: (count: number) =>
    count === 1
      ? '1 transação está fora das somas, porque não pôde ser lida por inteiro.'
      : `${count} transações estão fora das somas, porque não puderam ser lidas por inteiro.`,

  details: 'Detalhes da transação',
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'Não foi possível copiar.',
  share: 'Compartilhar',
  types: {
    PIX: 'Pix',
    TED: 'TED',
    TEF: 'Transferência entre contas',
    FEE: 'Tarifa',
    PIX_QRCODE: 'Pix por QR Code',
  } as Record<string, string>,
  externalStatuses: {
    SUCCESS: 'Concluído',
    PROCESSING: 'Em andamento',
  } as Record<string, string>,
  detailNames: {
    category: 'Categoria',
    beneficiary: { in: 'De', out: 'Para', unknown: 'Outra parte' },
    type: 'Tipo',
    status: 'Situação',
    externalStatus: 'Processamento externo',
    at: 'Data e hora',
    id: 'Identificação',
  },

  offline: (time: string | null) =>
    time === null
      ? 'Sem conexão.'
      : `Sem conexão. Você vê o que foi carregado até ${time}; nada foi gravado neste aparelho.`,
  onlyLoaded: 'Só o que já foi carregado deste período; pode faltar parte dele.',

  export: 'Exportar',
  exportTitle: 'Exportar extrato',
  exportFormat: 'Formato',
  exportFormats: {
    csv: { name: 'CSV', use: 'para planilhas; todas as transações, com a situação de cada uma' },
    ofx: { name: 'OFX', use: 'para programas de finanças; só as efetivadas' },
  },
  exportHint: 'Sem datas, o extrato inteiro.',
  exportStart: 'Exportar',
  exportCancel: 'Cancelar exportação',
  exportCanceled: 'Exportação cancelada. Nenhum arquivo foi gravado.',
  exportProgress: 'Andamento da exportação',
  exportRead: (read: string, total: string) => `${read} de ${total} transações lidas`,
  exportRunning: 'Lendo o extrato…',
  exportDone: 'O arquivo está pronto.',
  exportCount: 'Transações no arquivo',
  exportSums: {
    DONE: 'Soma das efetivadas',
    PROCESSING: 'Soma das em processamento',
    CANCELED: 'Soma das canceladas',
    ERROR: 'Soma das não realizadas',
    UNKNOWN: 'Soma das de situação desconhecida',
  },
  exportWithoutAmount: (count: number) =>
    count === 1
      ? '1 transação está no arquivo sem valor, fora das somas.'
      : `${count} transações estão no arquivo sem valor, fora das somas.`,
  exportLeftOut: (count: number) =>
    count === 1
      ? '1 transação em processamento, cancelada, não realizada ou sem valor ficou fora.'
      : `${count} transações em processamento, canceladas, não realizadas ou sem valor ficaram fora.`,
  exportUnreadable: (count: number) =>
    count === 1
      ? '1 transação não pôde ser lida e falta no arquivo.'
      : `${count} transações não puderam ser lidas e faltam no arquivo.`,
  exportAgain: 'Baixar de novo',
  exportName: 'extrato',

  retry: 'Tentar de novo',
  retryIn: (seconds: number) => `Tentar de novo em ${seconds} s`,
  /**
   * The messages by code (docs/errors.md). OFFLINE means no answer; TOO_MANY and NO_BALANCE are the app's own codes for
   * an export.
   */
  failures: {
    OFFLINE: 'Sem conexão. Confira a internet e tente de novo.',
    UNAUTHENTICATED: 'Sua sessão terminou. Entre de novo.',
    FORBIDDEN: 'Você não tem acesso a estes dados.',
    NOT_FOUND: 'Esta conta não existe mais.',
    RATE_LIMITED: 'Muitos pedidos ao mesmo tempo. Espere um pouco e tente de novo.',
    UPSTREAM_UNAVAILABLE: 'O serviço do banco não respondeu. Tente de novo em instantes.',
    CURSOR_EXPIRED: 'O extrato mudou enquanto você lia. Recarregue para continuar.',
    STATEMENT_UNSETTLED: 'O extrato está mudando agora. Tente de novo.',
    TOO_MANY: 'São transações demais para um arquivo. Escolha um período menor.',
    NO_BALANCE:
      'Não conseguimos ler o saldo, e um arquivo OFX precisa dele. Tente de novo ou exporte em CSV.',
    UNKNOWN: 'Não conseguimos mostrar esta parte.',
  },
};

export type Text = typeof pt;
