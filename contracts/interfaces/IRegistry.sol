// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Roles, approved facets, the release and the diamond factory of one network.
interface IRegistry {
    /// @notice A facet to approve: its address, the hash of the code that is there, and the salt that it was deployed with.
    struct FacetApproval {
        address facet;
        bytes32 codeHash;
        bytes32 salt;
    }

    /// @notice Root offered its place.
    /// @param root Who offered it.
    /// @param pendingRoot Who may accept; zero withdraws the offer.
    event RootTransferStarted(address indexed root, address indexed pendingRoot);
    /// @notice The registry has another root.
    /// @param previousRoot Zero when the registry was made.
    /// @param root The root from now on.
    event RootTransferred(address indexed previousRoot, address indexed root);
    /// @notice A role was given or taken.
    /// @param role The role, ASCII text such as `operator`.
    /// @param account The key or contract.
    /// @param enabled Whether it has the role now.
    event RoleSet(bytes32 indexed role, address indexed account, bool enabled);
    /// @notice Creating and paying deals was stopped or goes on.
    /// @param paused Whether it is stopped now.
    /// @param by Who did it.
    event PausedSet(bool paused, address indexed by);
    /// @notice Root approved a facet: this code at this address.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    /// @param effectiveAt Unix seconds from which it may be used.
    event FacetProposed(address indexed facet, bytes32 indexed codeHash, uint256 effectiveAt);
    /// @notice This code at this address may not be used any more.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    /// @param by Who revoked it.
    event FacetRevoked(address indexed facet, bytes32 indexed codeHash, address indexed by);
    /// @notice New diamonds start with these facets from now on.
    /// @param version Label of the release.
    /// @param facets Their addresses.
    event ReleaseSet(string version, address[] facets);
    /// @notice The diamond of a wallet is there.
    /// @param diamond Its address.
    /// @param nodeId UUID of the node.
    /// @param walletId UUID of the wallet.
    event DiamondCreated(address indexed diamond, bytes16 indexed nodeId, bytes16 indexed walletId);

    /// @notice A registry needs a root.
    error InvalidRoot();
    /// @notice The approval delay is longer than a registry may have.
    /// @param delay Seconds that were given.
    /// @param max Seconds at most.
    error InvalidDelay(uint256 delay, uint256 max);
    /// @notice Only root may do this.
    /// @param caller Who called instead.
    error NotRoot(address caller);
    /// @notice Only the account that was offered root accepts it.
    /// @param caller Who called instead.
    error NotPendingRoot(address caller);
    /// @notice Only root and guardians take power away, and only root takes it from guardians.
    /// @param caller Who called instead.
    error NotGuardian(address caller);
    /// @notice What is to be approved is not there: the address has no code, or another.
    /// @param facet The address.
    /// @param codeHash The hash that was given.
    /// @param actual Hash of the code that is there.
    error FacetCodeMismatch(address facet, bytes32 codeHash, bytes32 actual);
    /// @notice The address does not follow from the code, so that other code could come to be there.
    /// @param facet The address.
    /// @param expected Where the deterministic deployer puts this code with this salt.
    error FacetAddressMismatch(address facet, address expected);
    /// @notice A revoked facet can not come back at its address.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code.
    error FacetIsRevoked(address facet, bytes32 codeHash);
    /// @notice Only what was proposed is revoked.
    /// @param facet The address.
    /// @param codeHash The hash.
    error FacetNotProposed(address facet, bytes32 codeHash);
    /// @notice The code that the facet has now is not approved at this address, not yet, or not any more.
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
    /// @notice Before the first release no diamond can be made.
    error NoRelease();
    /// @notice A facet of the release was revoked, or its code has changed: a new release is needed.
    error ReleaseUnusable();
    /// @notice A diamond needs a node and a wallet.
    error InvalidKey();
    /// @notice This chain derives other addresses (EIP-1014) than every wallet was told.
    /// @param expected The address of `diamondAddress`.
    /// @param actual Where the diamond came to be.
    error AddressMismatch(address expected, address actual);

    /// @notice The owner of the registry, an offline multisig.
    /// @return Its address.
    function root() external view returns (address);

    /// @notice Who may become root by calling `acceptRoot`; zero when no transfer is under way.
    /// @return Its address.
    function pendingRoot() external view returns (address);

    /// @notice Seconds between the approval of a facet and its use, once there is a release.
    /// @return Seconds.
    function approvalDelay() external view returns (uint256);

    /// @notice Tells apart the registries that one root runs on a network.
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

    /// @notice True while the code that a facet has now is approved at its address: proposed, its delay over, not revoked.
    /// @param facet Any address.
    /// @return Whether diamonds may be cut to it now.
    function isApproved(address facet) external view returns (bool);

    /// @notice What was decided of some code at some address.
    /// @param facet The address.
    /// @param codeHash Hash of runtime code.
    /// @return effectiveAt Unix seconds from which it may be used; zero when it was never proposed.
    /// @return revoked Whether it was revoked, for good.
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
    /// @return The address, whether the diamond is there or not.
    function diamondAddress(bytes16 nodeId, bytes16 walletId) external view returns (address);

    /// @notice Creates the diamond, or returns the address where it already exists. Open to anyone.
    /// @param nodeId UUID of the node.
    /// @param walletId UUID of the wallet.
    /// @return diamond Its address.
    function createDiamond(bytes16 nodeId, bytes16 walletId) external returns (address diamond);

    /// @notice Root offers its place to `newRoot`; zero withdraws the offer.
    /// @param newRoot Who may accept.
    function transferRoot(address newRoot) external;

    /// @notice The account that was offered root takes it.
    function acceptRoot() external;

    /// @notice Root gives and takes roles; a guardian takes them, except from guardians.
    /// @param role Any 32 bytes; library `Roles` has those of this release.
    /// @param account A key or contract, such as the batcher.
    /// @param enabled Whether it shall have the role.
    function setRole(bytes32 role, address account, bool enabled) external;

    /// @notice Root and guardians pause, root unpauses.
    /// @param pause Whether it shall be paused.
    function setPaused(bool pause) external;

    /// @notice Root approves facets, each as code at an address: effective after the delay, at once before the first
    ///         release. What is approved already stays as it is.
    /// @dev The facet must be there, at an address that follows from its code (`LibFacet`): it can not become other code.
    /// @param approvals Addresses with the hashes of their runtime code and their salts.
    function approveFacets(FacetApproval[] calldata approvals) external;

    /// @notice Root or a guardian revokes a facet, for good. Diamonds that use it keep it until they are cut; a release
    ///         that holds it makes no diamonds any more. The same code may be approved again at another address.
    /// @param facet Its address.
    /// @param codeHash Hash of its runtime code, as it was approved.
    function revokeFacet(address facet, bytes32 codeHash) external;

    /// @notice Root sets what new diamonds start with: approved facets without a selector clash, cut and loupe included.
    /// @param version Label for people.
    /// @param facets Their addresses.
    function setRelease(string calldata version, address[] calldata facets) external;
}
