// Names and documents, shortened to what a screen needs.

/** Shows only the middle digits of a CPF or CNPJ, as is usual: `***.456.789-**`. */
export function maskDocument(document: string): string {
  const cpf = /^\d{3}(\d{3})(\d{3})\d{2}$/.exec(document);
  if (cpf !== null) return `CPF ***.${cpf[1] ?? ''}.${cpf[2] ?? ''}-**`;
  const cnpj = /^\d{2}(\d{3})(\d{3})(\d{4})\d{2}$/.exec(document);
  if (cnpj !== null) return `CNPJ **.${cnpj[1] ?? ''}.${cnpj[2] ?? ''}/${cnpj[3] ?? ''}-**`;
  return '';
}
