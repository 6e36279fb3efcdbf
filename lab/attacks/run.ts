// `npm run attacks`: plays the attack book against a service, its own unless another is named, and prints one table.
import { runAttacks } from './book/command.ts';

process.exitCode = await runAttacks(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => process.stderr.write(text),
});
