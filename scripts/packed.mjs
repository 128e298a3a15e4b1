// Packs what a start loads into a few large files: packages of many small files into dist/packed, the command's own code into dist/program.
// To find and open thousands of files one after another cost a start as much as all that it does.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const to = join(dist, 'packed');

const PACKED = new Set(
  `@nestjs/common @nestjs/core @nestjs/microservices @nestjs/platform-fastify fastify rxjs reflect-metadata
   @sinclair/typebox ajv class-transformer class-validator commander jose kafkajs kysely prom-client uuid ws yaml`.split(/\s+/),
);
const SHAPE = { format: 'esm', keepNames: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' };
const FOLDERS = ['apps', 'libs', 'bench', 'test'];
const IMPORT = /(?<=\b(?:from |import |import\())(["'])([^"'./][^"']*)\1/g;

const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];
const isPacked = (specifier) => PACKED.has(packageOf(specifier));
const nameOf = (specifier) => specifier.replace(/\.js$/, '').replace(/\W+/g, '-').replace(/^-/, '');

const filesOf = (folder) =>
  readdirSync(join(dist, folder), { recursive: true })
    .map((name) => join(dist, folder, name))
    .filter((file) => file.endsWith('.js') && !file.startsWith(join(dist, 'apps/console')));

/** Points the built files at the packed ones, and says of what. */
function point() {
  const specifiers = new Set();
  for (const file of FOLDERS.flatMap(filesOf)) {
    const text = readFileSync(file, 'utf8');
    const pointed = text.replace(IMPORT, (whole, quote, specifier) => {
      if (!isPacked(specifier)) return whole;
      specifiers.add(specifier);
      return `${quote}${relative(dirname(file), join(to, `${nameOf(specifier)}.js`))}${quote}`;
    });
    if (pointed !== text) writeFileSync(file, pointed);
  }
  return [...specifiers];
}

/** Everything that a package gives, by the names that Node finds: also where it is CommonJS, whose names a bundle would not tell. */
async function faceOf(specifier) {
  const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports');
  return names.length === 0 ? `import '${specifier}';` : `export { ${names.join(', ')} } from '${specifier}';`;
}

const faces = new Map(point().map((specifier) => [join(to, `${nameOf(specifier)}.mjs`), specifier]));

function resolveId(id, importer, { kind }) {
  if (faces.has(id)) return id;
  // What a package loads only when asked stays where it is, unless it is packed too: there would be two of it.
  return kind === 'dynamic-import' && !/^[./]/.test(id) && !isPacked(id) ? { id, external: true } : undefined;
}

const bundle = await rolldown({
  input: [...faces.keys()],
  platform: 'node',
  plugins: [{ name: 'faces', resolveId, load: (id) => (faces.has(id) ? faceOf(faces.get(id)) : undefined) }],
});
await bundle.write({ dir: to, ...SHAPE });

// Each module of the command's own believes that it lies where it was built: it finds its workers and files from there.
const main = join(dist, 'apps/cli/src/main.js');
const program = join(dist, 'program');
const placed = (id) => readFileSync(id, 'utf8').replaceAll('import.meta.url', `new URL('${relative(program, id)}', import.meta.url).href`);

function keepPackages(id, importer) {
  if (!importer) return undefined;
  if (!id.startsWith('.')) return { id, external: true };
  return id.includes('/packed/') ? { id: join(to, basename(id)), external: true } : undefined;
}

const own = await rolldown({
  input: main,
  platform: 'node',
  plugins: [{ name: 'own', resolveId: keepPackages, load: (id) => ({ code: placed(id), map: readFileSync(`${id}.map`, 'utf8') }) }],
});
await own.write({ dir: program, ...SHAPE, sourcemap: true, paths: (id) => (id.startsWith(to) ? `../packed/${basename(id)}` : id) });
writeFileSync(main, "#!/usr/bin/env node\nimport '../../../program/main.js';\n");
