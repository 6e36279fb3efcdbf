// Restarts exited members of a cluster, as a supervisor does, and reports it.
import type { Member } from './processes.ts';

/** Checks each of them once. */
export async function keepRunning(members: readonly Member[], tell: (sentence: string) => void): Promise<void> {
  for (const member of members.filter((member) => !member.isRunning())) {
    tell(`${member.name} has ended (${member.logFile}); starting it again …`);
    try {
      await member.start();
      tell(`${member.name} runs again.`);
    } catch (error) {
      tell((error as Error).message);
    }
  }
}
