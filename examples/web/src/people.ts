// Names and documents, shortened to what a screen needs.

/** Shows only the middle digits of a CPF or CNPJ, as is usual: `***.456.789-**`. */
export function maskDocument(document: string): string {
  const cpf = /^\d{3}(\d{3})(\d{3})\d{2}$/.exec(document);
  if (cpf !== null) return `CPF ***.${cpf[1] ?? ''}.${cpf[2] ?? ''}-**`;
  const cnpj = /^\d{2}(\d{3})(\d{3})(\d{4})\d{2}$/.exec(document);
  if (cnpj !== null) return `CNPJ **.${cnpj[1] ?? ''}.${cnpj[2] ?? ''}/${cnpj[3] ?? ''}-**`;
  return '';
}

/** `ana.moreira@example.com` -> `a•••@example.com`: the holder recognises it, and a bystander does not. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/** Only the last four characters of a phone or document number: `+5511987654321` -> `•••• 4321`. */
export function maskNumber(number: string): string {
  return number.length > 4 ? `•••• ${number.slice(-4)}` : '••••';
}

/** The first letters of the first and of the last name: `Ana Beatriz Moreira` -> `AM`. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.at(0) ?? '')
    .join('')
    .toUpperCase();
}
