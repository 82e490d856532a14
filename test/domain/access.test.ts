import { lackedPermissions, isPermission, permissions, type Caller } from '../../domain/access.ts';

describe('permissions', () => {
  it('are the four acts on six resources, and ten more', () => {
    expect(permissions).toHaveLength(34);
    expect(new Set(permissions).size).toBe(34);
    expect(permissions).toEqual(
      expect.arrayContaining(['payments.read', 'defaults.delete', 'wallets.deploy', 'reports.read']),
    );
  });

  it.each(['payments.read', 'audit.read'])('include %s', (name) => {
    expect(isPermission(name)).toBe(true);
  });

  it.each(['', 'payments', 'payments.READ', 'payments.read ', 'payments.*', 'toString', '__proto__'])(
    'do not include %p',
    (name) => {
      expect(isPermission(name)).toBe(false);
    },
  );

  it('cannot be granted by a caller that lacks them', () => {
    const caller: Caller = {
      actorId: 'i',
      integrationId: 'i',
      nodeId: 'n',
      permissions: ['payments.read', 'wallets.read'],
    };
    expect(lackedPermissions(caller, [])).toEqual([]);
    expect(lackedPermissions(caller, ['wallets.read'])).toEqual([]);
    expect(lackedPermissions(caller, ['payments.read', 'payments.create'])).toEqual(['payments.create']);
  });
});
