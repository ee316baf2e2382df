import { openApi } from './openapi.ts';

/** One call and its answer, as a terminal gave it to a test (test/outside/played.ts). */
interface Example {
  /** operationId; `any` for an answer of every call, `none` for an answer of no call of the document. */
  readonly operation: string;
  readonly summary: string;
  readonly request?: unknown;
  readonly status: number;
  readonly answer: unknown;
}
type Examples = readonly (readonly [name: string, example: Example])[];

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> } | undefined;
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>;
}

/**
 * The document with its examples. They are several times as large as the rest, and are read with the first request for
 * them: a terminal whose till has its client already never does.
 */
export async function documentWithExamples(): Promise<object> {
  const { default: kept } = await import('./openapi-examples.json', { with: { type: 'json' } });
  const examples: Examples = Object.entries<Example>(kept).filter(([, each]) => each.operation !== 'none');
  const paths = Object.entries<Readonly<Record<string, Operation>>>(openApi.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, each]) => [method, withExamples(each, examples)])),
  ]);
  const { components } = openApi;
  return {
    ...openApi,
    paths: Object.fromEntries(paths) as object,
    components: {
      schemas: components.schemas,
      headers: components.headers,
      securitySchemes: components.securitySchemes,
      examples: Object.fromEntries(
        examples.flatMap(([name, each]) => [
          [name, { summary: each.summary, value: each.answer }],
          ...(isGoodRequest(each)
            ? [[requestName(name), { summary: each.summary, value: each.request }] as const]
            : []),
        ]),
      ) as object,
    },
  };
}

function withExamples(operation: Operation, examples: Examples): object {
  const { operationId, requestBody, responses } = operation;
  const own = examples.filter(([, each]) => each.operation === operationId);
  const answered = Object.entries(responses).map(([status, response]) => {
    const fitting = [...own, ...examples.filter(([, each]) => each.operation === 'any')].filter(
      ([, each]) => String(each.status) === status,
    );
    return [
      status,
      {
        ...response,
        content: addExamples(
          response.content,
          fitting.map(([name]) => name),
        ),
      },
    ];
  });
  const asked = own.filter(([, each]) => isGoodRequest(each));
  return {
    ...operation,
    ...(requestBody
      ? {
          requestBody: {
            ...requestBody,
            content: addExamples(
              requestBody.content,
              asked.map(([name]) => requestName(name)),
            ),
          },
        }
      : {}),
    responses: Object.fromEntries(answered) as object,
  };
}

/** A request that is refused because of its content is not an example. */
function isGoodRequest({ request, status }: Example): boolean {
  return request !== undefined && status !== 400;
}

function addExamples(content: Readonly<Record<string, Media>>, names: readonly string[]): object {
  if (names.length === 0) return content;
  const examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, examples }]));
}

export function requestName(name: string): string {
  return `${name}Request`;
}
