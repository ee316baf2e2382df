/** The parts of JSON Schema, draft 2020-12, that this file reads. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The names that are valid at a place. */
export function namesIn(schema: JsonSchema, place: readonly PropertyKey[]): string[] {
  const { $defs = {} } = schema;
  const whole = (each: JsonSchema): readonly JsonSchema[] => choicesOf(each, $defs);
  const found = place.reduce<readonly JsonSchema[]>(
    (schemas, step) => schemas.flatMap((each) => below(each, step)).flatMap(whole),
    whole(schema),
  );
  return [...new Set(found.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

function below(
  { properties, items, additionalProperties: other }: JsonSchema,
  step: PropertyKey,
): readonly JsonSchema[] {
  if (typeof step === 'number') return items ? [items] : [];
  const own = properties?.[String(step)];
  if (own) return [own];
  return typeof other === 'object' ? [other] : [];
}

const definitions = '#/$defs/';

function choicesOf(schema: JsonSchema, defined: Readonly<Record<string, JsonSchema>>): readonly JsonSchema[] {
  const named = schema.$ref?.startsWith(definitions) ? defined[schema.$ref.slice(definitions.length)] : undefined;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(named ? [named] : [])];
  return [schema, ...choices.flatMap((each) => choicesOf(each, defined))];
}
