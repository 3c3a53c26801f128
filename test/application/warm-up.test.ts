import { warmUp } from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import t from 'tap';

/** Counts the lists that are read, and the members that are decided on. */
class CountingDigester extends Digester {
  lists = 0;
  members = 0;

  override messageHeads(): ReturnType<Digester['messageHeads']> {
    this.lists += 1;
    return super.messageHeads();
  }

  override memberDigest(...args: Parameters<Digester['memberDigest']>): Uint32Array {
    this.members += 1;
    return super.memberDigest(...args);
  }
}

t.test('what warms a thread is a valid list, which is read once and decided on', (t) => {
  const digester = new CountingDigester(new Uint8Array(32));
  warmUp(digester);
  t.same({ lists: digester.lists, members: digester.members }, { lists: 1, members: 2000 });
  t.end();
});
