// `npm run attacks`: plays the attack book against its own or a given service and prints a table.
import { runAttacks } from './book/command.ts';

process.exitCode = await runAttacks(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => process.stderr.write(text),
});
