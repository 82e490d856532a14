// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Roles, approved facets, the release and the diamond factory of one network.
interface IRegistry {
    /// @notice Root offered its place.
    /// @param root Who offered it.
    /// @param pendingRoot Who may accept; zero withdraws the offer.
    event RootTransferStarted(address indexed root, address indexed pendingRoot);
    /// @notice The registry has another root.
    /// @param previousRoot Zero when the registry was made.
    /// @param root The root from now on.
    event RootTransferred(address indexed previousRoot, address indexed root);
    /// @notice An operator was enabled or disabled.
    /// @param account The key or the batcher.
    /// @param enabled Whether it is one now.
    event OperatorSet(address indexed account, bool enabled);
    /// @notice An upgrader was enabled or disabled.
    /// @param account The key.
    /// @param enabled Whether it is one now.
    event UpgraderSet(address indexed account, bool enabled);
    /// @notice A guardian was enabled or disabled.
    /// @param account The key.
    /// @param enabled Whether it is one now.
    event GuardianSet(address indexed account, bool enabled);
    /// @notice Creating and paying deals was stopped or goes on.
    /// @param paused Whether it is stopped now.
    /// @param by Who did it.
    event PausedSet(bool paused, address indexed by);
    /// @notice Root approved a facet or `_init` contract.
    /// @param codeHash Hash of its runtime code.
    /// @param effectiveAt Unix seconds from which it may be used.
    event FacetProposed(bytes32 indexed codeHash, uint256 effectiveAt);
    /// @notice A code hash may not be used any more.
    /// @param codeHash Hash of the runtime code.
    /// @param by Who revoked it.
    event FacetRevoked(bytes32 indexed codeHash, address indexed by);
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
    /// @notice Only root may do this.
    /// @param caller Who called instead.
    error NotRoot(address caller);
    /// @notice Only the account that was offered root accepts it.
    /// @param caller Who called instead.
    error NotPendingRoot(address caller);
    /// @notice Only root and guardians take power away.
    /// @param caller Who called instead.
    error NotGuardian(address caller);
    /// @notice The hash is zero or that of no code.
    /// @param codeHash What was given.
    error InvalidCodeHash(bytes32 codeHash);
    /// @notice A revoked code hash can not come back.
    /// @param codeHash The hash.
    error FacetIsRevoked(bytes32 codeHash);
    /// @notice The facet is not approved, not yet, or not any more.
    /// @param facet The facet.
    /// @param codeHash Hash of its runtime code.
    error FacetNotApproved(address facet, bytes32 codeHash);
    /// @notice Two facets of the release export one selector.
    /// @param selector The selector.
    error SelectorClash(bytes4 selector);
    /// @notice The release lacks a selector of cut or loupe.
    /// @param selector The selector.
    error SelectorMissing(bytes4 selector);
    /// @notice Before the first release no diamond can be made.
    error NoRelease();

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

    /// @notice True for keys (and the batcher) that create and cancel deals.
    /// @param account Any address.
    /// @return Whether it is one.
    function isOperator(address account) external view returns (bool);

    /// @notice True for keys that cut diamonds to approved facets.
    /// @param account Any address.
    /// @return Whether it is one.
    function isUpgrader(address account) external view returns (bool);

    /// @notice True for keys that may pause, revoke facets, and disable operators and upgraders.
    /// @param account Any address.
    /// @return Whether it is one.
    function isGuardian(address account) external view returns (bool);

    /// @notice `isOperator(account)` and `paused()` in one call, for the hot path of the facets.
    /// @param account Any address.
    /// @return operator Whether it is an operator.
    /// @return isPaused Whether the registry is paused.
    function operatorState(address account) external view returns (bool operator, bool isPaused);

    /// @notice True once the delay of an approved facet code hash has passed and it is not revoked.
    /// @param codeHash Hash of runtime code.
    /// @return Whether it may be used now.
    function isApproved(bytes32 codeHash) external view returns (bool);

    /// @notice Unix time from which an approved code hash may be used; zero when it was never approved.
    /// @param codeHash Hash of runtime code.
    /// @return Unix seconds.
    function effectiveAt(bytes32 codeHash) external view returns (uint256);

    /// @notice True for a code hash that was revoked, for good.
    /// @param codeHash Hash of runtime code.
    /// @return Whether it was revoked.
    function isRevoked(bytes32 codeHash) external view returns (bool);

    /// @notice Version label and facets of the release that new diamonds start with; empty before the first release.
    /// @return version Its label.
    /// @return facets Their addresses.
    function release() external view returns (string memory version, address[] memory facets);

    /// @notice True for diamonds created by this registry.
    /// @param diamond Any address.
    /// @return Whether it is one.
    function isDiamond(address diamond) external view returns (bool);

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

    /// @notice Root enables and disables operators; a guardian may disable.
    /// @param account A key, or the batcher.
    /// @param enabled Whether it shall be one.
    function setOperator(address account, bool enabled) external;

    /// @notice Root enables and disables upgraders; a guardian may disable.
    /// @param account A key.
    /// @param enabled Whether it shall be one.
    function setUpgrader(address account, bool enabled) external;

    /// @notice Root enables and disables guardians.
    /// @param account A key.
    /// @param enabled Whether it shall be one.
    function setGuardian(address account, bool enabled) external;

    /// @notice Root and guardians pause, root unpauses.
    /// @param pause Whether it shall be paused.
    function setPaused(bool pause) external;

    /// @notice Root approves facets or `_init` contracts by runtime code hash: effective after the delay, at once
    ///         before the first release. What is approved already stays as it is.
    /// @param codeHashes Hashes of runtime code.
    function approveFacets(bytes32[] calldata codeHashes) external;

    /// @notice Root or a guardian revokes a code hash, for good. Diamonds that use it keep it until they are cut.
    /// @param codeHash Hash of runtime code.
    function revokeFacet(bytes32 codeHash) external;

    /// @notice Root sets what new diamonds start with: approved facets without a selector clash, cut and loupe included.
    /// @param version Label for people.
    /// @param facets Their addresses.
    function setRelease(string calldata version, address[] calldata facets) external;
}
