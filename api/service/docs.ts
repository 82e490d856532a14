import { problems } from '../http/problems.ts';
import type { Specification } from '../http/specification.ts';

type Json = Record<string, unknown>;

const escape = (text: unknown): string =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Prose of the specification: paragraphs, **bold** and `code`. */
const prose = (text: unknown): string =>
  typeof text !== 'string'
    ? ''
    : text
        .trim()
        .split(/\n\s*\n/)
        .map((paragraph) => escape(paragraph))
        .map((paragraph) => paragraph.replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>'))
        .map((paragraph) => `<p>${paragraph.replaceAll(/`(.+?)`/g, '<code>$1</code>')}</p>`)
        .join('\n');

const nameOf = (reference: unknown): string => String(reference).split('/').at(-1) ?? '';

const typeOf = (schema: Json): string => {
  if (schema.$ref !== undefined) return `<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  if (Array.isArray(schema.oneOf)) return schema.oneOf.map((option) => typeOf(option as Json)).join(' or ');
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const items = schema.items === undefined ? '' : ` of ${typeOf(schema.items as Json)}`;
  const values = (schema.enum as unknown[] | undefined) ?? (schema.const === undefined ? [] : [schema.const]);
  const rules = ['format', 'minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'pattern', 'default']
    .filter((rule) => schema[rule] !== undefined)
    .map((rule) => `${rule} ${escape(schema[rule])}`);
  return [type + items, ...values.map((value) => `<code>${escape(value)}</code>`), ...rules].join(', ');
};

const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (heads: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;

const fields = (schema: Json): string => {
  const required = (schema.required as string[] | undefined) ?? [];
  const properties = Object.entries((schema.properties as Record<string, Json> | undefined) ?? {});
  if (properties.length === 0) return `<p>${typeOf(schema)}</p>`;
  const rows = properties.map(([name, field]) =>
    row([
      `<code>${escape(name)}</code>`,
      required.includes(name) ? 'yes' : '',
      typeOf(field),
      prose(field.description).replaceAll(/<\/?p>/g, ''),
    ]),
  );
  return table(['Field', 'Required', 'Type', ''], rows);
};

const example = (content: Json | undefined): string =>
  Object.entries((content as Record<string, Json> | undefined) ?? {})
    .slice(0, 1)
    .map(([mediaType, media]) => {
      const schema = media.schema === undefined ? '' : ` ${typeOf(media.schema as Json)}`;
      const text = media.example === undefined ? '' : `<pre>${escape(JSON.stringify(media.example, null, 2))}</pre>`;
      return `<p>${escape(mediaType)}${schema}</p>${text}`;
    })
    .join('');

const operation = (document: Json, path: string, method: string, entry: Json): string => {
  const components = document.components as Record<string, Record<string, Json>>;
  const resolve = (part: Json, kind: string): Json =>
    part.$ref === undefined ? part : (components[kind]?.[nameOf(part.$ref)] ?? {});
  const parameters = ((entry.parameters as Json[] | undefined) ?? []).map((parameter) =>
    resolve(parameter, 'parameters'),
  );
  const responses = Object.entries(entry.responses as Record<string, Json>).map(([status, response]) => {
    const { description, content, 'x-codes': codes = [] } = resolve(response, 'responses');
    const links = (codes as string[]).map((code) => `<a href="#${code}"><code>${code}</code></a>`).join(' ');
    return `<h4>${status} ${links}</h4>${prose(description)}${example(content as Json | undefined)}`;
  });
  const body = entry.requestBody as { content: Json } | undefined;
  return `<section id="${escape(entry.operationId)}">
<h3><code>${method.toUpperCase()} ${escape(path)}</code></h3>
<p><strong>${escape(entry.summary)}</strong>${
    entry['x-permission'] === undefined ? '' : ` — permission <code>${escape(entry['x-permission'])}</code>`
  }</p>
${prose(entry.description)}
${
  parameters.length === 0
    ? ''
    : table(
        ['Parameter', 'In', 'Required', 'Type'],
        parameters.map((parameter) =>
          row([
            `<code>${escape(parameter.name)}</code>`,
            escape(parameter.in),
            parameter.required === true ? 'yes' : '',
            typeOf(parameter.schema as Json),
          ]),
        ),
      )
}
${body === undefined ? '' : `<h4>Body</h4>${example(body.content)}`}
${responses.join('\n')}
</section>`;
};

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
section{border-top:1px solid #ccc;margin-top:2rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{border:1px solid #ddd;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
pre{background:#f4f4f6;padding:.75rem;overflow:auto;font-size:.85rem}code{font-size:.95em}`;

/** The specification as one page for people: no scripts, nothing loaded from elsewhere. */
export const renderDocs = (specification: Specification): string => {
  const document = specification.document();
  const info = document.info as Json;
  const paths = Object.entries(document.paths as Record<string, Record<string, Json>>);
  const schemas = Object.entries((document.components as { schemas: Record<string, Json> }).schemas);
  const codes = Object.entries(problems).map(
    ([code, { status, title, explanation }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td><td>${prose(explanation)}</td></tr>`,
  );
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(info.title)} API</title>
<style>${style}</style></head>
<body>
<h1>${escape(info.title)} API ${escape(info.version)}</h1>
${prose(info.description)}
<p>For programs: <a href="/openapi.json">/openapi.json</a></p>
${table(
  ['Operation', ''],
  operations.map(({ path, method, entry }) =>
    row([
      `<a href="#${escape(entry.operationId)}"><code>${method.toUpperCase()} ${escape(path)}</code></a>`,
      escape(entry.summary),
    ]),
  ),
)}
<h2>Operations</h2>
${operations.map(({ path, method, entry }) => operation(document, path, method, entry)).join('\n')}
<h2>Errors</h2>
${table(['Code', 'Status', 'Title', 'When, and what to do'], codes)}
<h2>Schemas</h2>
${schemas.map(([name, schema]) => `<section id="schema-${name}"><h3>${name}</h3>${prose(schema.description)}${fields(schema)}</section>`).join('\n')}
</body>
</html>
`;
};
