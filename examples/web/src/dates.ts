// Days and times as they are in Brazil, whatever the clock of the device says.

const timeZone = 'America/Sao_Paulo';
const day = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'full' });
const time = new Intl.DateTimeFormat('pt-BR', { timeZone, hour: '2-digit', minute: '2-digit' });

/** `2026-06-30T15:00:00.000Z` -> `terça-feira, 30 de junho de 2026` */
export function formatDay(createdAt: string): string {
  return day.format(new Date(createdAt));
}

/** `2026-06-30T15:00:00.000Z` -> `12:00` */
export function formatTime(createdAt: string): string {
  return time.format(new Date(createdAt));
}
