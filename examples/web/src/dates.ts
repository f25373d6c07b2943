// Days and times in the holder's time zone, whatever the time zone of the device.

/** Brasília time: the default, and the time zone of every state that `zones` does not list. */
const brasilia = 'America/Sao_Paulo';

const zones: Readonly<Record<string, string>> = {
  AC: 'America/Rio_Branco',
  AM: 'America/Manaus',
  MS: 'America/Campo_Grande',
  MT: 'America/Cuiaba',
  RO: 'America/Porto_Velho',
  RR: 'America/Boa_Vista',
};

/** The IANA time zone of a Brazilian state by its two letters; Brasília time if the state is unknown. */
export function zoneOf(state: string | null | undefined): string {
  return zones[state ?? ''] ?? brasilia;
}

/**
 * Cached, because formatters are expensive to create. There are few: the app has two languages, and a session has one
 * time zone.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, formatter);
  return formatter;
}

/** In Portuguese: `2026-06-30T15:00:00.000Z` -> `terça-feira, 30 de junho de 2026` */
export function formatDay(createdAt: string, locale: string, timeZone: string): string {
  return formatterOf(locale, { timeZone, dateStyle: 'full' }).format(new Date(createdAt));
}

/** `2026-06-30T15:00:00.000Z` -> `12:00` in Brasília */
export function formatTime(createdAt: string, locale: string, timeZone: string): string {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return formatterOf(locale, options).format(new Date(createdAt));
}

/** A day of the calendar, in Portuguese: `2026-06-30` -> `30/06/2026` */
export function formatDate(day: string, locale: string): string {
  const options = { timeZone: 'UTC', day: '2-digit', month: '2-digit', year: 'numeric' } as const;
  return formatterOf(locale, options).format(new Date(day));
}

/**
 * The day in a text as a person of that language writes it, also without separators; null if there is no such day. In
 * Portuguese: `30/06/2026` -> `2026-06-30`
 */
export function parseDate(text: string, locale: string): string | null {
  const [, first = '', second = '', year = ''] =
    /^(\d{1,2})\D?(\d{1,2})\D?(\d{4})$/.exec(text.trim()) ?? [];
  const [month, day] = locale === 'en' ? [first, second] : [second, first];
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const ms = Date.parse(written);
  // `2026-02-30` is read as a day of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written) ? written : null;
}

/** A month by any of its days, in Portuguese: `2026-06-30` -> `junho` */
export function formatMonth(day: string, locale: string): string {
  return formatterOf(locale, { timeZone: 'UTC', month: 'long' }).format(new Date(day));
}

/** The display name of a time zone, in Portuguese: `Horário Padrão de Brasília` */
export function zoneName(locale: string, timeZone: string): string {
  const options = { timeZone, timeZoneName: 'long' } as const;
  const parts = formatterOf(locale, options).formatToParts(new Date());
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

/** An instant as local date and time. */
export interface WallTime {
  /** yyyy-MM-dd */
  readonly day: string;
  /** HH:mm:ss */
  readonly time: string;
  /** Hours ahead of UTC; negative to the west, such as -3. */
  readonly offsetHours: number;
}

/** The wall time of an RFC 3339 text; null if it is missing or not an instant. */
export function wallTimeOf(createdAt: string | null, timeZone: string): WallTime | null {
  const instant = new Date(createdAt ?? '');
  if (Number.isNaN(instant.getTime())) return null;
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  // The Swedish format is `2026-06-30 12:00:00`.
  const [day = '', time = ''] = formatterOf('sv-SE', options).format(instant).split(' ');
  const wholeSecondMs = Math.floor(instant.getTime() / 1000) * 1000;
  const offsetHours = (Date.parse(`${day}T${time}Z`) - wholeSecondMs) / 3_600_000;
  return { day, time, offsetHours };
}
