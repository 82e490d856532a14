import { isPermission, lackedPermissions, permissions, type Caller } from '../../domain/access.ts';

describe('permissions', () => {
  it('are the four acts on six resources and ten more', () => {
    expect(permissions).toHaveLength(34);
    expect(new Set(permissions).size).toBe(34);
    expect(permissions).toEqual(
      expect.arrayContaining(['payments.read', 'defaults.delete', 'wallets.deploy', 'reports.read']),
    );
  });

  it.each(['payments.read', 'audit.read'])('knows %s', (name) => {
    expect(isPermission(name)).toBe(true);
  });

  it.each(['', 'payments', 'payments.READ', 'payments.read ', 'payments.*', 'toString', '__proto__'])(
    'does not know %p',
    (name) => {
      expect(isPermission(name)).toBe(false);
    },
  );

  it('can not be granted by who lacks them', () => {
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
