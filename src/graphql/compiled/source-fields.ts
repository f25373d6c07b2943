// Fields whose values are written as the service sent them. Adjacent ones are written together.
import type { JsonOutput } from '../../json/json-output.ts';
import { type SelectedField, SourceObject, type SourceShape } from '../../json/source-object.ts';
import type { Run } from './run.ts';
import { bailout, type LeafPlace, type Plan } from './value-plan.ts';

/** A field whose parent may still have the service's JSON for it. */
export interface SourceField {
  readonly name: string;
  /** Finds the object that has the field. */
  readonly sourceOf: (parent: unknown) => unknown;
  readonly place: LeafPlace;
  /** Writes the field if its parent has no source JSON, or if the value cannot be copied from that JSON. */
  readonly plan: Plan;
}

/** The plans for an object's fields, with a single plan for adjacent fields of the same source. */
export function joinSourceFields(fields: readonly (Plan | SourceField)[]): Plan[] {
  const plans: Plan[] = [];
  let run: SourceField[] = [];
  const endRun = () => {
    if (run.length > 0) plans.push(sourceFieldsPlan(run));
    run = [];
  };
  for (const field of fields) {
    const isSource = 'sourceOf' in field;
    if (!isSource || field.sourceOf !== run[0]?.sourceOf) endRun();
    if (isSource) run.push(field);
    else plans.push(field);
  }
  endRun();
  return plans;
}

type Write = (output: JsonOutput, source: SourceObject, parent: unknown, run: Run) => void;

/** The plan for a group of fields. `fields` is not empty, and all have the same `sourceOf`. */
function sourceFieldsPlan(fields: readonly SourceField[]): Plan {
  const sourceOf = fields[0]?.sourceOf;
  // Cached for the last shape, because all parents at one place of an answer have the same shape.
  let shape: SourceShape | null = null;
  let writes: readonly Write[] = [];
  return {
    write(output, parent, run) {
      const source = sourceOf?.(parent);
      if (!(source instanceof SourceObject)) {
        for (const { plan } of fields) plan.write(output, parent, run);
        return;
      }
      if (source.shape !== shape) {
        shape = source.shape;
        writes = writesOf(fields, shape);
      }
      for (const write of writes) write(output, source, parent, run);
    },
    load: undefined,
  };
}

/** Joins adjacent fields that objects of this shape have as JSON. Every other field is written by its plan. */
function writesOf(fields: readonly SourceField[], shape: SourceShape): Write[] {
  const writes: Write[] = [];
  let selected: SelectedField[] | null = null;
  for (const { name, place, plan } of fields) {
    const field = shape.writable(name);
    if (field < 0) {
      writes.push((output, _source, parent, run) => plan.write(output, parent, run));
      selected = null;
      continue;
    }
    if (selected === null) {
      const group: SelectedField[] = (selected = []);
      writes.push((output, source) => {
        if (!source.write(group, output)) throw bailout;
      });
    }
    selected.push({ ...place, field, isDigits: shape.kinds[field] === 'digits' });
  }
  return writes;
}
