// The choice of the statement's period: everything, one of the last months, or from one day to another.
import { type SubmitEvent, useState } from 'react';
import { formatDate, formatMonth, zoneName } from '../dates.ts';
import { useText } from '../text/language.tsx';
import { always, type Period, recentMonths } from './period.ts';

interface PeriodFilterProps {
  readonly period: Period;
  /** The day of the newest transaction; null if unknown, so that no months are offered. */
  readonly newestDay: string | null;
  readonly timeZone: string;
  readonly onChange: (period: Period) => void;
}

export function PeriodFilter({ period, newestDay, timeZone, onChange }: PeriodFilterProps) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const months = newestDay === null ? [] : recentMonths(newestDay, 3);
  const choices = [
    { name: text.everything, choice: always },
    ...months.map((month) => ({ name: formatMonth(month.from ?? '', text.locale), choice: month })),
  ];
  const isOther = !choices.some(({ choice }) => isSame(choice, period));
  const choose = (choice: Period) => {
    setOpen(false);
    onChange(choice);
  };
  return (
    <div role="group" aria-label={text.period} className="period">
      <div className="chips">
        {choices.map(({ name, choice }) => (
          <button
            key={name}
            type="button"
            aria-pressed={isSame(choice, period)}
            onClick={() => choose(choice)}
          >
            {name}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={isOther}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOther ? rangeName(period, text.locale) : text.otherPeriod}
        </button>
      </div>
      {isOpen && <PeriodForm period={period} timeZone={timeZone} onApply={choose} />}
    </div>
  );
}

interface PeriodFormProps {
  readonly period: Period;
  readonly timeZone: string;
  readonly onApply: (period: Period) => void;
}

/**
 * Changes apply only when the button is pressed: while a year is typed, the field briefly contains the years 0002, 0020
 * and 0202.
 */
function PeriodForm({ period, timeZone, onApply }: PeriodFormProps) {
  const text = useText();
  const [draft, setDraft] = useState(period);
  const apply = (event: SubmitEvent) => {
    event.preventDefault();
    onApply(draft);
  };
  return (
    <form onSubmit={apply}>
      <PeriodFields period={draft} onChange={setDraft} />
      <button type="submit" className="primary">
        {text.apply}
      </button>
      <p className="quiet">{text.wholeDays(zoneName(text.locale, timeZone))}</p>
    </form>
  );
}

interface PeriodFieldsProps {
  readonly period: Period;
  readonly onChange: (period: Period) => void;
}

/** Fields for two days. The form is not submitted if the second day is before the first. */
export function PeriodFields({ period: { from, to }, onChange }: PeriodFieldsProps) {
  const text = useText();
  return (
    <div className="dates">
      <label>
        {text.from}
        <input
          type="date"
          value={from ?? ''}
          min="1900-01-01"
          max={to ?? '2999-12-31'}
          onChange={({ target }) => onChange({ from: target.value || null, to })}
        />
      </label>
      <label>
        {text.to}
        <input
          type="date"
          value={to ?? ''}
          min={from ?? '1900-01-01'}
          max="2999-12-31"
          onChange={({ target }) => onChange({ from, to: target.value || null })}
        />
      </label>
    </div>
  );
}

function isSame(one: Period, other: Period): boolean {
  return one.from === other.from && one.to === other.to;
}

function rangeName({ from, to }: Period, locale: string): string {
  return [from, to].map((day) => (day === null ? '…' : formatDate(day, locale))).join(' – ');
}
