// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "./Diamond.sol";
import {IFacet} from "./interfaces/IFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";
import {LibDiamond} from "./libraries/LibDiamond.sol";
import {LibFacet} from "./libraries/LibFacet.sol";
import {Roles} from "./libraries/Roles.sol";

/// @notice Roles, approved facets, the release and the diamond factory of one network.
/// @dev The deterministic deployer deploys it, so the constructor reads its arguments only, never the sender. The same
///      three arguments give the same address on every network.
contract Registry is IRegistry {
    /// @dev A longer delay is a mistake, and it could never be corrected.
    uint256 private constant MAX_APPROVAL_DELAY = 30 days;

    struct Approval {
        uint64 effectiveAt;
        bool revoked;
    }

    struct Key {
        bytes16 nodeId;
        bytes16 walletId;
    }

    /// @inheritdoc IRegistry
    uint256 public immutable approvalDelay;
    /// @inheritdoc IRegistry
    bytes32 public immutable platformId;

    /// @inheritdoc IRegistry
    address public root;
    /// @inheritdoc IRegistry
    bool public paused;
    /// @inheritdoc IRegistry
    address public pendingRoot;
    /// @inheritdoc IRegistry
    mapping(address facet => mapping(bytes32 codeHash => Approval)) public approval;
    /// @inheritdoc IRegistry
    mapping(address diamond => Key) public diamondKey;

    mapping(bytes32 role => mapping(address account => bool)) private roles;
    string private releaseVersion;
    address[] private releaseFacets;
    /// @dev Hash over the code of all facets of the release; zero once one of them was revoked.
    bytes32 private releaseCodeHash;

    modifier onlyRoot() {
        if (msg.sender != root) revert NotRoot(msg.sender);
        _;
    }

    /// @param initialRoot Owner of the registry, an offline multisig in production.
    /// @param delay Seconds between the approval of a facet and its use, once there is a release; at most 30 days.
    /// @param platform Any 32 bytes; lets one root run several separate registries on a network.
    constructor(address initialRoot, uint256 delay, bytes32 platform) {
        if (initialRoot == address(0)) revert InvalidRoot();
        if (delay > MAX_APPROVAL_DELAY) revert InvalidDelay(delay, MAX_APPROVAL_DELAY);
        root = initialRoot;
        approvalDelay = delay;
        platformId = platform;
        emit RootTransferred(address(0), initialRoot);
    }

    /// @inheritdoc IRegistry
    function transferRoot(address newRoot) external onlyRoot {
        pendingRoot = newRoot;
        emit RootTransferStarted(root, newRoot);
    }

    /// @inheritdoc IRegistry
    function acceptRoot() external {
        if (msg.sender != pendingRoot) revert NotPendingRoot(msg.sender);
        emit RootTransferred(root, msg.sender);
        root = msg.sender;
        pendingRoot = address(0);
    }

    /// @inheritdoc IRegistry
    function setRole(bytes32 role, address account, bool enabled) external {
        // The thief of one guardian's key must not disarm the other guardians.
        if (enabled || role == Roles.GUARDIAN) requireRoot();
        else requireGuardian();
        roles[role][account] = enabled;
        emit RoleSet(role, account, enabled);
    }

    /// @inheritdoc IRegistry
    function setPaused(bool pause) external {
        if (pause) requireGuardian();
        else requireRoot();
        paused = pause;
        emit PausedSet(pause, msg.sender);
    }

    /// @inheritdoc IRegistry
    function approveFacets(FacetApproval[] calldata approvals) external onlyRoot {
        uint256 since = releaseFacets.length == 0 ? block.timestamp : block.timestamp + approvalDelay;
        for (uint256 i; i < approvals.length; ++i) {
            (address facet, bytes32 codeHash) = (approvals[i].facet, approvals[i].codeHash);
            if (facet.code.length == 0 || facet.codehash != codeHash) {
                revert FacetCodeMismatch(facet, codeHash, facet.codehash);
            }
            address expected = LibFacet.addressOf(facet.code, approvals[i].salt);
            if (facet != expected) revert FacetAddressMismatch(facet, expected);
            Approval storage own = approval[facet][codeHash];
            if (own.revoked) revert FacetIsRevoked(facet, codeHash);
            // A second approval must neither restart nor shorten the delay.
            if (own.effectiveAt != 0) continue;
            // casting to 'uint64' is safe because both are seconds, and the delay is bounded
            // forge-lint: disable-next-line(unsafe-typecast)
            own.effectiveAt = uint64(since);
            emit FacetProposed(facet, codeHash, since);
        }
    }

    /// @inheritdoc IRegistry
    function revokeFacet(address facet, bytes32 codeHash) external {
        requireGuardian();
        Approval storage own = approval[facet][codeHash];
        if (own.effectiveAt == 0) revert FacetNotProposed(facet, codeHash);
        if (own.revoked) return;
        own.revoked = true;
        for (uint256 i; i < releaseFacets.length; ++i) {
            if (releaseFacets[i] == facet) releaseCodeHash = 0;
        }
        emit FacetRevoked(facet, codeHash, msg.sender);
    }

    /// @inheritdoc IRegistry
    function setRelease(string calldata version, address[] calldata facets) external onlyRoot {
        requireComplete(facets);
        releaseVersion = version;
        releaseFacets = facets;
        releaseCodeHash = codeHashOf(facets);
        emit ReleaseSet(version, facets);
    }

    /// @inheritdoc IRegistry
    function createDiamond(bytes16 nodeId, bytes16 walletId) external returns (address diamond) {
        if (nodeId == 0 || walletId == 0) revert InvalidKey();
        diamond = diamondAddress(nodeId, walletId);
        if (diamondKey[diamond].nodeId != 0) return diamond;
        address[] memory facets = releaseFacets;
        if (facets.length == 0) revert NoRelease();
        // Each facet was approved when it joined the release. This one hash shows any change since.
        if (codeHashOf(facets) != releaseCodeHash) revert ReleaseUnusable();
        diamondKey[diamond] = Key(nodeId, walletId);
        address created = address(new Diamond{salt: saltOf(nodeId, walletId)}());
        if (created != diamond) revert AddressMismatch(diamond, created);
        emit DiamondCreated(diamond, nodeId, walletId);
    }

    /// @inheritdoc IRegistry
    function release() external view returns (string memory version, address[] memory facets) {
        return (releaseVersion, releaseFacets);
    }

    /// @inheritdoc IRegistry
    function roleState(bytes32 role, address account) external view returns (bool enabled, bool isPaused) {
        return (roles[role][account], paused);
    }

    /// @inheritdoc IRegistry
    function diamondAddress(bytes16 nodeId, bytes16 walletId) public view returns (address) {
        bytes32 codeHash = keccak256(type(Diamond).creationCode);
        return LibFacet.create2Address(address(this), saltOf(nodeId, walletId), codeHash);
    }

    /// @inheritdoc IRegistry
    function isApproved(address facet) public view returns (bool) {
        Approval memory own = approval[facet][facet.codehash];
        return own.effectiveAt != 0 && block.timestamp >= own.effectiveAt && !own.revoked;
    }

    function saltOf(bytes16 nodeId, bytes16 walletId) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(nodeId, walletId));
    }

    function codeHashOf(address[] memory facets) private view returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            hashes[i] = facets[i].codehash;
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function requireRoot() private view {
        if (msg.sender != root) revert NotRoot(msg.sender);
    }

    /// @dev Root may do everything that a guardian may.
    function requireGuardian() private view {
        if (msg.sender != root && !roles[Roles.GUARDIAN][msg.sender]) revert NotGuardian(msg.sender);
    }

    /// @dev Refuses a release with a duplicate selector, or without cut or loupe.
    function requireComplete(address[] calldata facets) private view {
        bytes4[][] memory exported = new bytes4[][](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            address facet = facets[i];
            if (!isApproved(facet)) revert FacetNotApproved(facet, facet.codehash);
            bytes4[] memory own = IFacet(facet).exportSelectors();
            if (own.length == 0) revert NoSelectors(facet);
            for (uint256 j; j < own.length; ++j) {
                if (includes(exported, i, own[j]) || LibDiamond.indexOf(own, own[j]) != j) {
                    revert SelectorClash(own[j]);
                }
            }
            exported[i] = own;
        }
        bytes4[] memory needed = LibDiamond.protectedSelectors();
        for (uint256 i; i < needed.length; ++i) {
            if (!includes(exported, facets.length, needed[i])) revert SelectorMissing(needed[i]);
        }
    }

    function includes(bytes4[][] memory lists, uint256 count, bytes4 selector) private pure returns (bool) {
        for (uint256 i; i < count; ++i) {
            if (LibDiamond.includes(lists[i], selector)) return true;
        }
        return false;
    }
}
