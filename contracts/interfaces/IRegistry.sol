// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Roles, approved facets, the release and the diamond factory of one network.
interface IRegistry {
    /// @notice A facet to approve: its address, the hash of its code, and the salt of its deployment.
    struct FacetApproval {
        address facet;
        bytes32 codeHash;
        bytes32 salt;
    }

    /// @notice Root offered its role to another account.
    /// @param root The present root.
    /// @param pendingRoot May accept the offer; zero withdraws it.
    event RootTransferStarted(address indexed root, address indexed pendingRoot);
    /// @notice The registry has another root.
    /// @param previousRoot The root until now; zero at the deployment.
    /// @param root The root from now on.
    event RootTransferred(address indexed previousRoot, address indexed root);
    /// @notice A role was given or taken.
    /// @param role The role, ASCII text such as `operator`.
    /// @param account The key or contract.
    /// @param enabled Whether it has the role now.
    event RoleSet(bytes32 indexed role, address indexed account, bool enabled);
    /// @notice Creation and payment of deals stopped or resumed.
    /// @param paused Whether they are stopped now.
    /// @param by The account that did it.
    event PausedSet(bool paused, address indexed by);
    /// @notice Root approved a facet: this code at this address.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    /// @param effectiveAt Unix seconds from which it may be used.
    event FacetProposed(address indexed facet, bytes32 indexed codeHash, uint256 effectiveAt);
    /// @notice This code at this address can never be used again.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    /// @param by The account that revoked it.
    event FacetRevoked(address indexed facet, bytes32 indexed codeHash, address indexed by);
    /// @notice From now on, new diamonds start with these facets.
    /// @param version Label of the release.
    /// @param facets Their addresses.
    event ReleaseSet(string version, address[] facets);
    /// @notice The diamond of a wallet was created.
    /// @param diamond Its address.
    /// @param nodeId UUID of the node.
    /// @param walletId UUID of the wallet.
    event DiamondCreated(address indexed diamond, bytes16 indexed nodeId, bytes16 indexed walletId);

    /// @notice A registry needs a root.
    error InvalidRoot();
    /// @notice The approval delay is longer than a registry may have.
    /// @param delay The given seconds.
    /// @param max The maximum, in seconds.
    error InvalidDelay(uint256 delay, uint256 max);
    /// @notice Only root may do this.
    /// @param caller The actual caller.
    error NotRoot(address caller);
    /// @notice Only the account that root was offered to can accept it.
    /// @param caller The actual caller.
    error NotPendingRoot(address caller);
    /// @notice Only root and guardians take roles away, and only root takes them from guardians.
    /// @param caller The actual caller.
    error NotGuardian(address caller);
    /// @notice The address of the approval has no code, or other code.
    /// @param facet The address.
    /// @param codeHash The hash that was given.
    /// @param actual Hash of the code at the address.
    error FacetCodeMismatch(address facet, bytes32 codeHash, bytes32 actual);
    /// @notice The address is not derived from the code, so it could get other code later.
    /// @param facet The address.
    /// @param expected The address at which the deterministic deployer puts this code with this salt.
    error FacetAddressMismatch(address facet, address expected);
    /// @notice A revoked facet cannot be approved again at its address.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    error FacetIsRevoked(address facet, bytes32 codeHash);
    /// @notice Only a proposed facet can be revoked.
    /// @param facet The address.
    /// @param codeHash The hash.
    error FacetNotProposed(address facet, bytes32 codeHash);
    /// @notice The present code of the facet is not approved at this address, not yet, or no longer.
    /// @param facet The facet.
    /// @param codeHash Hash of its runtime code.
    error FacetNotApproved(address facet, bytes32 codeHash);
    /// @notice A facet of the release exports nothing.
    /// @param facet The facet.
    error NoSelectors(address facet);
    /// @notice Two facets of the release export one selector.
    /// @param selector The selector.
    error SelectorClash(bytes4 selector);
    /// @notice The release lacks a selector of cut or loupe.
    /// @param selector The selector.
    error SelectorMissing(bytes4 selector);
    /// @notice No diamond can be made before the first release.
    error NoRelease();
    /// @notice A facet of the release was revoked, or its code has changed: a new release is needed.
    error ReleaseUnusable();
    /// @notice A diamond needs a node and a wallet.
    error InvalidKey();
    /// @notice This chain derives addresses otherwise (EIP-1014), so the diamond is not at its wallet's address.
    /// @param expected The address of `diamondAddress`.
    /// @param actual The address of the new diamond.
    error AddressMismatch(address expected, address actual);

    /// @notice The owner of the registry, an offline multisig.
    /// @return Its address.
    function root() external view returns (address);

    /// @notice The account that may become root by `acceptRoot`; zero without a pending offer.
    /// @return Its address.
    function pendingRoot() external view returns (address);

    /// @notice Seconds between the approval of a facet and its use, once there is a release.
    /// @return Seconds.
    function approvalDelay() external view returns (uint256);

    /// @notice Distinguishes the registries of one root on a network.
    /// @return Any 32 bytes.
    function platformId() external view returns (bytes32);

    /// @notice True while deals can neither be created nor paid; they can still be cancelled.
    /// @return Whether it is paused.
    function paused() external view returns (bool);

    /// @notice Whether an account has a role, and `paused()` with it, in one call for the hot path of the facets.
    /// @param role Any 32 bytes; library `Roles` has those of this release.
    /// @param account Any address.
    /// @return enabled Whether it has the role.
    /// @return isPaused Whether the registry is paused.
    function roleState(bytes32 role, address account) external view returns (bool enabled, bool isPaused);

    /// @notice True while the present code of a facet is approved at its address: proposed, its delay over, not revoked.
    /// @param facet Any address.
    /// @return Whether diamonds may be cut to it now.
    function isApproved(address facet) external view returns (bool);

    /// @notice The approval state of a code at an address.
    /// @param facet The address.
    /// @param codeHash Hash of runtime code.
    /// @return effectiveAt Unix seconds from which it may be used; zero when it was never proposed.
    /// @return revoked Whether it was revoked, permanently.
    function approval(address facet, bytes32 codeHash) external view returns (uint64 effectiveAt, bool revoked);

    /// @notice Version label and facets of the release that new diamonds start with; empty before the first release.
    /// @return version Its label.
    /// @return facets Their addresses.
    function release() external view returns (string memory version, address[] memory facets);

    /// @notice Node and wallet of a diamond that this registry made; both zero for any other address.
    /// @param diamond Any address.
    /// @return nodeId UUID of the node.
    /// @return walletId UUID of the wallet.
    function diamondKey(address diamond) external view returns (bytes16 nodeId, bytes16 walletId);

    /// @notice CREATE2 address of the diamond of this node and wallet; the same on every network.
    /// @param nodeId UUID of the node.
    /// @param walletId UUID of the wallet.
    /// @return The address, whether or not the diamond exists.
    function diamondAddress(bytes16 nodeId, bytes16 walletId) external view returns (address);

    /// @notice Creates the diamond, or returns the address where it already exists. Open to anyone.
    /// @param nodeId UUID of the node.
    /// @param walletId UUID of the wallet.
    /// @return diamond Its address.
    function createDiamond(bytes16 nodeId, bytes16 walletId) external returns (address diamond);

    /// @notice Root offers its role to `newRoot`; zero withdraws the offer.
    /// @param newRoot May accept the offer.
    function transferRoot(address newRoot) external;

    /// @notice The account that root was offered to accepts it.
    function acceptRoot() external;

    /// @notice Root gives and takes roles; a guardian takes them, except from guardians.
    /// @param role Any 32 bytes; library `Roles` has those of this release.
    /// @param account A key or contract, such as the batcher.
    /// @param enabled True to give the role, false to take it.
    function setRole(bytes32 role, address account, bool enabled) external;

    /// @notice Root and guardians pause; root alone resumes.
    /// @param pause True to pause, false to resume.
    function setPaused(bool pause) external;

    /// @notice Root approves facets, each as code at an address: effective after the delay, at once before the first
    ///         release. Earlier approvals stay unchanged.
    /// @dev The facet must exist at the address derived from its code (`LibFacet`), where it cannot become other code.
    /// @param approvals Addresses with the hashes of their runtime code and their salts.
    function approveFacets(FacetApproval[] calldata approvals) external;

    /// @notice Root or a guardian revokes a facet permanently. Diamonds keep it until they are cut; a release
    ///         with it makes no more diamonds. The same code may be approved again at another address.
    /// @param facet Its address.
    /// @param codeHash Hash of its approved runtime code.
    function revokeFacet(address facet, bytes32 codeHash) external;

    /// @notice Root sets the facets of new diamonds: approved, without duplicate selectors, with cut and loupe.
    /// @param version Label for people.
    /// @param facets Their addresses.
    function setRelease(string calldata version, address[] calldata facets) external;
}
