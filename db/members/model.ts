import objection from 'objection';

/** A buyer or recipient of a node. */
export class MemberModel extends objection.Model {
  static override readonly tableName = 'members';

  declare id: string;
  declare node_id: string;
  declare external_id: string;
  declare name: string;
  declare surname: string | null;
  declare email: string | null;
  declare phone: string | null;
  declare identity_number: string | null;
  declare tax_office: string | null;
  declare tax_number: string | null;
  declare address: string | null;
  declare district: string | null;
  declare city: string | null;
  declare country: string | null;
  declare contact_name: string | null;
  declare locale: string | null;
  declare deleted_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}
