// The choice of the statement's period: everything, one of the last months, or from one day to another.
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { formatDate, formatMonth, parseDate, zoneName } from '../dates.ts';
import { Skeleton } from '../skeleton.tsx';
import { useText } from '../text/language.tsx';
import { always, type Period, recentMonths } from './period.ts';

interface PeriodFilterProps {
  readonly period: Period;
  /** The day of the newest transaction; null if unknown, so that no months are offered. */
  readonly newestDay: string | null;
  /** Whether the newest transaction is being read. */
  readonly isLoading: boolean;
  readonly timeZone: string;
  readonly onChange: (period: Period) => void;
}

export function PeriodFilter(props: PeriodFilterProps) {
  const { period, newestDay, isLoading, timeZone, onChange } = props;
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
        {isLoading && <Skeleton of="chips" count={3} />}
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

/** Changes apply only when the button is pressed: while a year is typed, the field briefly contains others. */
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
  const isReversed = from !== null && to !== null && to < from;
  return (
    <div className="dates">
      <DateField label={text.from} day={from} onChange={(day) => onChange({ from: day, to })} />
      <DateField
        label={text.to}
        day={to}
        problem={isReversed ? text.wrongOrder : ''}
        onChange={(day) => onChange({ from, to: day })}
      />
    </div>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly day: string | null;
  /** Why the form cannot be submitted with this day; empty if it can. */
  readonly problem?: string;
  readonly onChange: (day: string | null) => void;
}

/** A text field, because the browser's date field is in the browser's language, whatever that of the app is. */
function DateField({ label, day, problem = '', onChange }: DateFieldProps) {
  const text = useText();
  const ref = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState(day === null ? '' : formatDate(day, text.locale));
  const isWrong = written.trim() !== '' && day === null;
  useEffect(
    () => ref.current?.setCustomValidity(isWrong ? text.wrongDate : problem),
    [isWrong, problem, text],
  );
  const change = (next: string) => {
    setWritten(next);
    onChange(parseDate(next, text.locale));
  };
  return (
    <label>
      {label}
      <input
        ref={ref}
        inputMode="numeric"
        autoComplete="off"
        placeholder={text.datePattern}
        value={written}
        onChange={({ target }) => change(target.value)}
        onBlur={() => day !== null && setWritten(formatDate(day, text.locale))}
      />
    </label>
  );
}

function isSame(one: Period, other: Period): boolean {
  return one.from === other.from && one.to === other.to;
}

function rangeName({ from, to }: Period, locale: string): string {
  return [from, to].map((day) => (day === null ? '…' : formatDate(day, locale))).join(' – ');
}
